import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { buildOnce, builtFolder, runTool, versionOfTool } from '../../bench/contenders/toolchain/index.ts';

const CACHE = 'KUBERING_BENCH_CACHE';

describe('building contenders', () => {
  let folder: string;
  let sources: string;
  const before = process.env[CACHE];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubering-test-'));
    sources = join(folder, 'sources');
    process.env[CACHE] = join(folder, 'cache');
    mkdirSync(join(sources, 'src'), { recursive: true });
    writeFileSync(join(sources, 'Cargo.toml'), 'name = "one"');
    writeFileSync(join(sources, 'src/main.rs'), 'fn main() {}');
  });
  afterEach(() => {
    if (before === undefined) delete process.env[CACHE];
    else process.env[CACHE] = before;
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes to another folder when any source differs', () => {
    const first = builtFolder('one', sources);
    assert.equal(builtFolder('one', sources), first);

    writeFileSync(join(sources, 'src/main.rs'), 'fn main() { }');
    assert.notEqual(builtFolder('one', sources), first);
  });

  it('looks at the files that were named, and at no others', () => {
    const first = builtFolder('one', sources, ['Cargo.toml']);
    writeFileSync(join(sources, 'src/main.rs'), 'fn main() { }');

    assert.equal(builtFolder('one', sources, ['Cargo.toml']), first);
  });

  it('happens once', async () => {
    let builds = 0;
    const fill = async (scratch: string) => {
      builds++;
      writeFileSync(join(scratch, 'program'), '');
    };
    await buildOnce(builtFolder('one', sources), fill);
    await buildOnce(builtFolder('one', sources), fill);

    assert.equal(builds, 1);
    assert.ok(existsSync(join(builtFolder('one', sources), 'program')));
  });

  it('leaves nothing behind when it fails', async () => {
    const fill = async (scratch: string) => {
      writeFileSync(join(scratch, 'half'), '');
      throw new Error('out of luck');
    };
    await assert.rejects(buildOnce(builtFolder('one', sources), fill), /out of luck/);

    assert.deepEqual(readdirSync(join(folder, 'cache')), []);
  });

  it('tells the last words of a tool that failed', async () => {
    const script = 'console.error("no such crate"); process.exit(1)';
    const run = { tool: process.execPath, args: ['-e', script], folder };
    await assert.rejects(
      runTool(run, () => {}),
      { name: 'BuildError', message: /failed:\nno such crate/ },
    );
  });

  it('knows no version of a tool that is not there', async () => {
    assert.equal(await versionOfTool('kubering-no-such-tool', '--version'), undefined);
    assert.match((await versionOfTool(process.execPath, '--version')) ?? '', /^v\d/);
  });

  it('tells that a tool could not be run', async () => {
    const run = { tool: 'kubering-no-such-tool', args: ['build'], folder };
    await assert.rejects(
      runTool(run, () => {}),
      { name: 'BuildError', message: /could not be run/ },
    );
  });
});
