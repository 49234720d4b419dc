import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { findProgram, isOlder } from '../../src/program.ts';

const before = { PATH: process.env.PATH, HOME: process.env.HOME };
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vramlens-program-'));
  process.env.PATH = [join(folder, 'empty'), join(folder, 'bin')].join(':');
  process.env.HOME = folder;
});

afterEach(() => {
  Object.assign(process.env, before);
  rmSync(folder, { recursive: true });
});

/** A program that says it is this version of vramlens. */
function program(path: string, version: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "vramlens ${version}"\n`);
  chmodSync(file, 0o755);
  return file;
}

const find = (configured = '') => findProgram({ configured, extension: join(folder, 'extension'), version: '0.1.0' });

test('the program that is set wins over the bundled one, and that over the search path', async () => {
  const onPath = program('bin/vramlens', '0.1.0');
  assert.deepEqual(await find(), { path: onPath, version: '0.1.0' });
  const bundled = program('extension/server/vramlens', '0.1.1');
  assert.deepEqual(await find(), { path: bundled, version: '0.1.1' });
  const set = program('mine', '0.2.0-dev');
  assert.deepEqual(await find(set), { path: set, version: '0.2.0-dev' });
  assert.deepEqual(await find('~/mine'), { path: set, version: '0.2.0-dev' });
});

test('a wrong path is told of, and nothing else is started in its place', async () => {
  program('extension/server/vramlens', '0.1.0');
  const missing = join(folder, 'missing');
  assert.deepEqual(await find(missing), { why: 'notFound', path: missing });
  assert.deepEqual(await find(folder), { why: 'notFound', path: folder });
});

test('without any program, the platform is told', async () => {
  assert.deepEqual(await find(), { why: 'noneForPlatform', platform: `${process.platform}-${process.arch}` });
});

test('a program that cannot be started says why', async () => {
  const file = program('broken', '0.1.0');
  writeFileSync(file, '#!/no/such/interpreter\n');
  const found = await find(file);
  assert.ok('why' in found && found.why === 'notRunning');
  assert.match(found.reason, /ENOENT/);
});

test('versions are compared by their numbers', () => {
  assert.ok(isOlder('0.9.5', '0.10.0'));
  assert.ok(isOlder('0.10.0', '1.0.0'));
  assert.ok(!isOlder('0.10.0', '0.9.7'));
  assert.ok(!isOlder('0.10.0', '0.10.3'));
  assert.ok(!isOlder('1.0.0', '0.10.3'));
});
