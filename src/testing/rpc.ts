/** Messages between a server in another process or thread and its remote control. */

/** Asks for a method of the server. */
export interface RpcRequest {
  id: number;
  method: string;
  args: unknown[];
}

/** The answer to one. */
export interface RpcResponse {
  id: number;
  result?: unknown;
  error?: { name: string; message: string; status?: unknown };
}

/** What the child says first. */
export interface RpcReady {
  ready: { url: string; port: number };
}

/** What the child says when it could not start. */
export interface RpcFailed {
  failed: string;
}

export type FromChild = RpcResponse | RpcReady | RpcFailed;

/** One end of the connection, over a child process' IPC or a MessagePort. */
export interface RpcChannel {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
