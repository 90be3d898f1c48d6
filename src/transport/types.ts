/** TLS material of a connection, as data that can be posted to a worker. PEM is text. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly pfx?: Uint8Array;
  readonly passphrase?: string;
  /** Name that the server's certificate is checked against, when it is not the URL's host. */
  readonly servername?: string;
  /** False accepts any certificate; when absent, Node's default holds. */
  readonly rejectUnauthorized?: boolean;
}

/** Headers by name; several values of one name are sent as several headers. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

/** All that a request needs to reach an API server as somebody. Can be posted to a worker. Holds secrets. */
export interface ConnectionInfo {
  /** For messages: `cluster prod, user admin`, the names in the kubeconfig. */
  readonly names?: string;
  /** URL of the API server, with its path prefix if it has one, without a slash at its end. */
  readonly server: string;
  /** Headers of every request: who is asking. */
  readonly headers: RequestHeaders;
  readonly tls: TlsMaterial;
  /** URL of an HTTP or SOCKS proxy. */
  readonly proxyUrl?: string;
}

/**
 * Where a transport gets its connection from before each request.
 *
 * @param refresh - the credentials were refused: don't answer with the same ones from a cache
 */
export type ConnectionProvider = (refresh: boolean) => Promise<ConnectionInfo>;
