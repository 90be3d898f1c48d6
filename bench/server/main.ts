/** The process of the benchmark server. Its options are its argument; it is led over IPC. */
import { writeFileSync } from 'node:fs';
import { type FromServer, type ServerCall, versionsAndTimes } from './messages.ts';
import { BenchServer, type ServerOptions } from './server.ts';

// Without the process that leads the run nobody wants the objects.
process.on('disconnect', () => process.exit(0));

try {
  const server = new BenchServer(JSON.parse(process.argv[2]!) as ServerOptions);
  const port = await server.listen();
  process.on('message', (message) => serve(server, message as ServerCall & { id: number }));
  send({ ready: true, port });
} catch (error) {
  send({ ready: false, message: (error as Error).message });
}

async function serve(server: BenchServer, call: ServerCall & { id: number }): Promise<void> {
  try {
    send({ id: call.id, result: await answerTo(server, call) });
  } catch (error) {
    send({ id: call.id, error: (error as Error).message });
  }
}

async function answerTo(server: BenchServer, call: ServerCall): Promise<unknown> {
  switch (call.verb) {
    case 'churn':
      return server.churn(call.order);
    case 'expire':
      return server.expire();
    case 'truth':
      return server.truth();
    case 'usage':
      return { ...server.usage, cpuMs: cpuMs(), rssMb: process.memoryUsage.rss() / 1e6 };
    case 'writeSendTimes':
      return writeFileSync(call.path, versionsAndTimes(server.sendTimes));
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function send(message: FromServer): void {
  process.send!(message);
}
