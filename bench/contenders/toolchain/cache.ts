/** Where built contenders lie: outside of the checkout, under a name that changes with their sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const HASH_DIGITS = 12;

export function cacheFolder(): string {
  const { KUBERING_BENCH_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  return own || join(xdg || join(homedir(), '.cache'), 'kubering', 'bench');
}

/**
 * Where the program that is made of sources is, when it was built already.
 *
 * @param files - names of the files in `sources` that it is made of, default all
 */
export function builtFolder(name: string, sources: string, files = filesIn(sources)): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(sources, file)))
      .update('\0');
  }
  return join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, HASH_DIGITS)}`);
}

/**
 * Fills a folder unless it is there. It gets its name when it is complete, so that nobody finds half of it.
 *
 * @param fill - is given the folder to fill
 */
export async function buildOnce(folder: string, fill: (scratch: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(cacheFolder(), { recursive: true });
  const scratch = await mkdtemp(join(cacheFolder(), 'build-'));
  try {
    await fill(scratch);
    await rename(scratch, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Names relative to the folder, sorted: the same files give the same hash everywhere. */
function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length)).sort();
}
