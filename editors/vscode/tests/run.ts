/**
 * Runs the tests in a real VS Code:
 *
 *     npm test [-- --only host|ui] [--keep]
 *
 * `install.sh` must have been run. The language server is the program that VRAMLENS_BIN names, or the debug build
 * of this repository. `--keep` leaves the folder of the run, with logs and pictures, and prints its name.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { runInExtensionHost } from './hostRun.ts';
import { useByHand } from './ui.ts';
import { startWorkbench } from './workbench.ts';

const extension = resolve(import.meta.dirname, '..');
const repository = resolve(extension, '../..');
const suites = join(import.meta.dirname, 'host');
const installed = join(repository, '.tests', 'vscode');
const program = process.env.VRAMLENS_BIN ?? join(repository, 'target', 'debug', 'vramlens');

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } },
});

/** One run: a folder, a project in it, and a workbench with the package. */
async function inWorkbench(name: string, forSuites: boolean, test: typeof runInExtensionHost): Promise<boolean> {
  const folder = join(root, name);
  const project = join(folder, 'project');
  mkdirSync(folder, { recursive: true });
  cpSync(join(repository, 'tests', 'showcase'), project, { recursive: true });
  writeFileSync(join(project, 'requirements.txt'), 'torch==2.9.0\ntransformers==4.57.1\n');
  const workbench = await startWorkbench({ folder, vsix, installed, forSuites });
  try {
    return await test({ workbench, folder, project, suites });
  } finally {
    await workbench.stop();
  }
}

function npm(...words: string[]): void {
  execFileSync('npm', ['run', '--silent', ...words], { cwd: extension, stdio: ['ignore', 'ignore', 'inherit'] });
}

const root = mkdtempSync(join(tmpdir(), 'vramlens-vscode-'));
const vsix = join(root, 'vramlens.vsix');
if (!existsSync(program)) {
  throw new Error(`${program} does not exist: build it with \`cargo build\``);
}
npm('package', '--', '--server', program, '--out', vsix);
npm('bundle-tests');

let passed = true;
if (options.only !== 'ui') {
  passed = (await inWorkbench('host', true, runInExtensionHost)) && passed;
}
if (options.only !== 'host') {
  passed = (await inWorkbench('ui', false, useByHand)) && passed;
}
if (options.keep) {
  console.log(`Kept: ${root}`);
} else {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = passed ? 0 : 1;
