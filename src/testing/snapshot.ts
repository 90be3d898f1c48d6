import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import type { JsonObject } from './json.ts';
import type { Endpoint } from './kube-config.ts';
import type { Resource } from './resources.ts';

/** A page of Pods is some twenty megabytes then: far from the longest string that V8 can hold. */
const PAGE_ITEMS = 1000;

/** A part of a list: its items have kind and apiVersion. */
export interface SnapshotPage {
  readonly resourceVersion: string;
  readonly items: JsonObject[];
}

/** Lists all objects of a resource over HTTP, page by page, all of one snapshot. */
export async function* fetchPages(endpoint: Endpoint, resource: Resource): AsyncGenerator<SnapshotPage> {
  const { kind, apiVersion } = resource;
  let token = '';
  do {
    const query = `limit=${PAGE_ITEMS}&continue=${encodeURIComponent(token)}`;
    const page = JSON.parse(await getText(endpoint, `${resource.path}?${query}`)) as ListBody;
    const items = page.items.map((item) => ({ kind, apiVersion, ...item }));
    yield { resourceVersion: page.metadata.resourceVersion, items };
    token = page.metadata.continue ?? '';
  } while (token !== '');
}

/** Lists all objects of a resource over HTTP, and keeps them. */
export async function fetchAll(endpoint: Endpoint, resource: Resource): Promise<SnapshotPage> {
  const items: JsonObject[] = [];
  let resourceVersion = '';
  for await (const page of fetchPages(endpoint, resource)) {
    resourceVersion = page.resourceVersion;
    for (const item of page.items) items.push(item);
  }
  return { resourceVersion, items };
}

interface ListBody {
  metadata: { resourceVersion: string; continue?: string };
  items: JsonObject[];
}

function getText(endpoint: Endpoint, path: string): Promise<string> {
  const { url, ca, token } = endpoint;
  const options: RequestOptions & { ca?: string } = { agent: false };
  if (ca !== undefined) options.ca = ca;
  if (token !== undefined) options.headers = { authorization: `Bearer ${token}` };
  const get = ca === undefined ? getHttp : getHttps;
  return new Promise((resolve, reject) => {
    const request = get(`${url}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`GET ${path} answered ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    request.on('error', reject);
  });
}
