/** Files of a published run: raw lines, and the same as a page. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunHeader } from './machine.ts';
import { type Table, toMarkdown } from './tables.ts';

const RESULTS = new URL('../results/', import.meta.url);

export interface ResultFiles {
  readonly raw: URL;
  readonly page: URL;
}

/** @throws Error when there are results of that day already: raw results are never overwritten */
export function resultFiles({ bench, startedAt }: Pick<RunHeader, 'bench' | 'startedAt'>): ResultFiles {
  const name = `${startedAt.slice(0, 10)}-${bench}`;
  const files = { raw: new URL(`${name}.jsonl`, RESULTS), page: new URL(`${name}.md`, RESULTS) };
  for (const file of [files.raw, files.page]) {
    if (existsSync(file)) throw new Error(`${fileURLToPath(file)} exists: rename or remove it first`);
  }
  return files;
}

export function saveResults(
  files: ResultFiles,
  header: RunHeader,
  runs: readonly object[],
  tables: readonly Table[],
  legend: string,
): void {
  mkdirSync(RESULTS, { recursive: true });
  const lines = [header, ...runs.map((run) => ({ type: 'run', ...run }))];
  writeFileSync(files.raw, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'wx' });
  writeFileSync(files.page, pageOf(header, tables, legend), { flag: 'wx' });
}

function pageOf(header: RunHeader, tables: readonly Table[], legend: string): string {
  const { machine, versions, commit, isDirty } = header;
  return `# ${header.bench}, ${header.startedAt.slice(0, 10)}

    ${header.command}

* ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}; load average before the start ${header.loadavg.join(', ')}
* Node ${header.node}, V8 ${header.v8}
* kubering ${versions.kubering} at ${commit}${isDirty ? ' with local changes' : ''}, client-node ${versions['client-node']}
* ${JSON.stringify(header.options)}
* every answer was checked and is right

${legend}

${tables.map(toMarkdown).join('\n\n')}
`;
}
