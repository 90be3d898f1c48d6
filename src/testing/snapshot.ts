import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import type { JsonObject } from './json.ts';
import type { Endpoint } from './kube-config.ts';
import type { Resource } from './resources.ts';

/** A page of Pods is some twenty megabytes then: far from the longest string that V8 can hold. */
const PAGE_ITEMS = 2000;

/** Lists all objects of a resource over HTTP, in pages of one snapshot. */
export async function fetchAll(
  endpoint: Endpoint,
  resource: Resource,
): Promise<{ resourceVersion: string; items: JsonObject[] }> {
  const items: JsonObject[] = [];
  const { kind, apiVersion } = resource;
  let token = '';
  for (;;) {
    const query = `limit=${PAGE_ITEMS}&continue=${encodeURIComponent(token)}`;
    const page = JSON.parse(await getText(endpoint, `${resource.path}?${query}`)) as ListBody;
    for (const item of page.items) items.push({ kind, apiVersion, ...item });
    token = page.metadata.continue ?? '';
    if (token === '') return { resourceVersion: page.metadata.resourceVersion, items };
  }
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
