/**
 * Runs the tests in a real VS Code:
 *
 *     npm test -- [--only host|ui|pictures] [--keep]
 *
 * `install.sh` must have been run. The language server is the program that VRAMLENS_BIN names, or the debug build
 * of this repository. `--only pictures` makes those of the README anew and is no test. `--keep` leaves the folder
 * of the run, with logs and pictures, and prints its name.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { runInExtensionHost, type HostRun } from './hostRun.ts';
import { pictureSettings, takePictures } from './pictures.ts';
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

/** Something that can be run. */
interface Run {
  readonly name: string;
  /** Whether it is run when no name is given. */
  readonly always: boolean;
  readonly forSuites: boolean;
  readonly settings: Record<string, unknown>;
  readonly act: (run: HostRun) => Promise<boolean>;
}

const runs: Run[] = [
  { name: 'host', always: true, forSuites: true, settings: {}, act: runInExtensionHost },
  { name: 'ui', always: true, forSuites: false, settings: {}, act: useByHand },
  { name: 'pictures', always: false, forSuites: false, settings: pictureSettings, act: takePictures },
];

/** One run: a folder, a project in it, and a workbench with the package. Returns whether all went well. */
async function inWorkbench({ name, forSuites, settings, act }: Run): Promise<boolean> {
  const folder = join(root, name);
  const project = join(folder, 'project');
  mkdirSync(folder, { recursive: true });
  cpSync(join(repository, 'tests', 'showcase'), project, { recursive: true });
  cpSync(join(import.meta.dirname, 'project'), project, { recursive: true });
  const workbench = await startWorkbench({ folder, vsix, installed, forSuites, settings });
  try {
    return await act({ workbench, folder, project, suites });
  } finally {
    await workbench.stop();
  }
}

function npm(...words: string[]): void {
  execFileSync('npm', ['run', '--silent', ...words], { cwd: extension, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Makes the package, and runs what was asked for. */
async function runAll(): Promise<boolean> {
  npm('package', '--', '--server', program, '--out', vsix);
  npm('bundle-tests');
  let passed = true;
  for (const run of runs) {
    if (options.only === undefined ? run.always : options.only === run.name) {
      passed = (await inWorkbench(run)) && passed;
    }
  }
  return passed;
}

if (!existsSync(program)) {
  throw new Error(`${program} does not exist: build it with \`cargo build\``);
}
const root = mkdtempSync(join(tmpdir(), 'vramlens-vscode-'));
const vsix = join(root, 'vramlens.vsix');
try {
  process.exitCode = (await runAll()) ? 0 : 1;
} finally {
  if (options.keep) {
    console.log(`Kept: ${root}`);
  } else {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
