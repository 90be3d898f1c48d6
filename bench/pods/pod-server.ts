/**
 * A process that answers lists of Pods which it makes while it writes them, so that a million cost it no memory, and
 * watches with silence. Knows nothing else of Kubernetes.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listVersion, PAGE_PODS, type PodSet, pagesOf, podsOfPage } from './pod-lines.ts';

const set = JSON.parse(process.argv[2]!) as PodSet;
// Without its parent nobody needs the Pods.
process.on('disconnect', () => process.exit(0));

const server = createServer((request, response) => {
  const query = new URL(request.url!, 'http://localhost').searchParams;
  response.setHeader('content-type', 'application/json');
  if (query.has('watch')) response.flushHeaders();
  else sendPage(response, Number(query.get('continue') ?? 0));
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));

/** Made while the page before is read: the reader should not wait for the Pods. */
let ahead = { page: 0, body: bodyOf(0) };

function sendPage(response: ServerResponse, page: number): void {
  response.end(ahead.page === page ? ahead.body : bodyOf(page));
  if (page + 1 >= pagesOf(set)) return;
  setImmediate(() => {
    ahead = { page: page + 1, body: bodyOf(page + 1) };
  });
}

function bodyOf(page: number): Buffer {
  const isLast = page + 1 >= pagesOf(set);
  const metadata = {
    resourceVersion: listVersion(set),
    ...(!isLast && {
      continue: String(page + 1),
      remainingItemCount: set.pods - (page + 1) * PAGE_PODS,
    }),
  };
  const head = `{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`;
  return Buffer.from(`${head}${podsOfPage(set, page).join(',')}]}\n`, 'latin1');
}
