/**
 * The smallest informer that can be measured: it lists, watches, keeps what it got, and speaks the suite's protocol.
 * With FLAW in its environment it makes a mistake on purpose.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import type { Command, ContenderConfig, Reply } from '../../../bench/suite/protocol.ts';

interface Item {
  metadata: { namespace: string; name: string; resourceVersion: string };
}

const config = JSON.parse(process.argv.at(-1)!) as ContenderConfig;
const flaw = process.env.FLAW ?? '';
const cache = new Map<string, string>();
const counts = { adds: 0, updates: 0, deletes: 0 };
const received: number[] = [];
let seenVersion = 0;
let armed = { calls: 0, cpu: process.cpuUsage(), firstMs: 0, lastMs: 0 };

if (flaw === 'chatters') console.log('hello');
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  if (command.cmd === 'exit') break;
  reply(await answer(command));
}
process.exit(0);

async function answer(command: Exclude<Command, { cmd: 'exit' }>): Promise<Reply> {
  switch (command.cmd) {
    case 'start': {
      if (flaw === 'ends') throw new Error('out of luck');
      const beginMs = performance.now();
      await Promise.all((config.resources ?? [config.resource]).map(follow));
      return { event: 'synced', wallMs: performance.now() - beginMs, meters: meters(), calls: calls() };
    }
    case 'arm':
      armed = { calls: calls(), cpu: process.cpuUsage(), firstMs: 0, lastMs: 0 };
      return { event: 'armed' };
    case 'await': {
      // Of several resources the last version may come first.
      const version = config.resources === undefined ? Number(command.rv) : Number.POSITIVE_INFINITY;
      while (seenVersion < version && calls() - armed.calls < command.calls) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const wallMs = armed.lastMs - armed.firstMs;
      return { event: 'caught-up', wallMs, meters: meters(), calls: calls() - armed.calls };
    }
    case 'report':
      if (config.receiveTimesFile !== undefined) {
        writeFileSync(config.receiveTimesFile, new Float64Array(received));
      }
      return {
        event: 'report',
        memory: { rssMb: process.memoryUsage.rss() / 1e6, rssPeakMb: process.resourceUsage().maxRSS / 1e3 },
        answer: { objects: cache.size, hash: hash(), ...counts, outOfOrder: 0, merged: 0, errors: [] },
      };
  }
}

function calls(): number {
  return counts.adds + counts.updates + counts.deletes;
}

async function follow({ group, version, plural }: ContenderConfig['resource']): Promise<void> {
  const path = `${group === '' ? '/api' : `/apis/${group}`}/${version}/${plural}`;
  const list = (await get(`${path}?limit=500`)) as Page;
  const items = list.items;
  let next = list.metadata.continue;
  while (next !== undefined && next !== '') {
    const page = (await get(`${path}?limit=500&continue=${next}`)) as Page;
    items.push(...page.items);
    next = page.metadata.continue;
  }
  if (flaw === 'loses') items.pop();
  for (const item of items) handle('ADDED', path, item);
  void watch(path, list.metadata.resourceVersion);
}

interface Page {
  items: Item[];
  metadata: { resourceVersion: string; continue?: string };
}

async function get(path: string): Promise<unknown> {
  return (await request(config.server + path)).body.json();
}

async function watch(path: string, resourceVersion: string): Promise<void> {
  const { body } = await request(`${config.server}${path}?watch=true&resourceVersion=${resourceVersion}`);
  let hasExpired = false;
  for await (const line of createInterface({ input: body })) {
    const { type, object } = JSON.parse(line) as { type: string; object: Item };
    if (type === 'ERROR') hasExpired = true;
    else if (type !== 'BOOKMARK') handle(type, path, object);
  }
  if (!hasExpired) return watch(path, resourceVersion);
  const list = (await get(path)) as Page;
  for (const item of list.items)
    if (cache.get(keyOf(path, item)) !== item.metadata.resourceVersion) handle('MODIFIED', path, item);
  return watch(path, list.metadata.resourceVersion);
}

function handle(type: string, path: string, item: Item): void {
  const version = Number(item.metadata.resourceVersion);
  if (type === 'ADDED') counts.adds++;
  else if (type === 'MODIFIED') counts.updates++;
  else counts.deletes++;
  if (type === 'DELETED') cache.delete(keyOf(path, item));
  else cache.set(keyOf(path, item), item.metadata.resourceVersion);
  seenVersion = Math.max(seenVersion, version);
  armed.lastMs = performance.now();
  armed.firstMs ||= armed.lastMs;
  received.push(version, performance.timeOrigin + armed.lastMs);
}

/** Objects of two resources may have the same name. */
function keyOf(path: string, { metadata }: Item): string {
  return `${path} ${metadata.namespace}/${metadata.name}`;
}

function hash(): string {
  let sum = 0;
  for (const [key, version] of cache) {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(`${key.split(' ')[1]}\0${version}`))
      hash = Math.imul(hash ^ byte, 0x01000193);
    sum += hash >>> 0;
  }
  return String(sum);
}

function meters() {
  const { user, system } = process.cpuUsage(armed.cpu);
  return { cpuMs: (user + system) / 1000 };
}

function reply(message: Reply): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
