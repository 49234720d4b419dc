import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as vscode from 'vscode';

import {
  closeAll,
  runFolder,
  servers,
  set,
  show,
  untilFound,
  untilServerOtherThan,
  untilTold,
} from './support.ts';

const found = ['OOM202', 'OOM101', 'OOM101'];

/** A program for `vramlens.path`: a shell script, executable or not. */
function program(name: string, script: string, mode = 0o755): string {
  const folder = join(runFolder, 'programs');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

describe('the server', () => {
  let first = 0;

  beforeEach(async () => {
    await vscode.commands.executeCommand('vramlens.restart');
    first = await untilServerOtherThan();
    await untilFound(await show('classic_loop.py'), found);
  });

  afterEach(closeAll);

  it('is started anew by the command', async () => {
    await vscode.commands.executeCommand('vramlens.restart');
    await untilServerOtherThan(first);
    await untilFound(await show('classic_loop.py'), found);
  });

  it('comes back when it is killed', async () => {
    process.kill(first, 'SIGKILL');
    await untilServerOtherThan(first);
    await untilFound(await show('collect_predictions.py'), []);
    await untilFound(await show('classic_loop.py'), found);
  });

  it('is left off when it keeps stopping, says so, and comes back by the command', async () => {
    const killed: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      const pid = await untilServerOtherThan(...killed);
      await untilFound(await show('classic_loop.py'), found);
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
    }
    assert.match(await untilTold(/keeps stopping/), /Restart Server Show Output/);
    assert.deepEqual(servers(), []);
    await vscode.commands.executeCommand('vramlens.restart');
    await untilServerOtherThan(...killed);
  });

  const { version } = vscode.extensions.getExtension('vramlens.vramlens')?.packageJSON as { version: string };
  const sayVersion = `echo "vramlens ${version}"`;
  const cases = [
    { what: 'is missing', path: () => join(runFolder, 'no', 'vramlens'), says: /there is no file .*no\/vramlens/ },
    { what: 'is not executable', path: () => program('plain', sayVersion, 0o644), says: /is not executable/ },
    { what: 'is something else', path: () => program('other', 'echo hello'), says: /is not vramlens/ },
    { what: 'does not run', path: () => program('broken', 'echo no GLIBC >&2; exit 1'), says: /does not run .*no GLIBC/ },
    { what: 'is too old', path: () => program('old', 'echo vramlens 0.0.9'), says: /version 0\.0\.9, and this extension needs/ },
    {
      what: 'stops at the start',
      path: () => program('dies', `[ "$1" = --version ] && ${sayVersion} && exit; echo gone >&2; exit 3`),
      says: /stopped before it was ready/,
    },
  ];
  for (const { what, path, says } of cases) {
    it(`whose program ${what} is told of, and comes back when the path is corrected`, async () => {
      await set('vramlens.path', path());
      try {
        assert.match(await untilTold(says), /Open Settings Show Output/);
        assert.deepEqual(servers(), []);
      } finally {
        await set('vramlens.path');
      }
      await untilServerOtherThan();
    });
  }
});
