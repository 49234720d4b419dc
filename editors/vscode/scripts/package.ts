/**
 * Makes the .vsix, with a built `vramlens` inside:
 *
 *     npm run package -- [--server PROGRAM] [--target PLATFORM] [--out FILE]
 *
 * Without `--server` the release build of this repository is taken. With `--server none` the package carries no
 * program, is for every platform, and uses the `vramlens` on the search path.
 */

import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { createVSIX } from '@vscode/vsce';

const extension = resolve(import.meta.dirname, '..');
const repository = resolve(extension, '../..');
const staging = join(extension, 'dist', 'package');

/** What the package holds, besides the server. */
const fromExtension = ['package.json', 'package.nls.json', 'README.md', 'dist/extension.cjs', 'images/icon.png'];
const fromRepository = ['CHANGELOG.md', 'LICENSE-APACHE', 'LICENSE-MIT'];

const { values: options } = parseArgs({
  options: {
    server: { type: 'string', default: join(repository, 'target', 'release', 'vramlens') },
    target: { type: 'string', default: `${process.platform}-${process.arch}` },
    out: { type: 'string', default: join(extension, 'vramlens.vsix') },
  },
});

function stage(folder: string, names: string[]): void {
  for (const name of names) {
    cpSync(join(folder, name), join(staging, name), { recursive: true });
  }
}

function stageServer(program: string): void {
  const copy = join(staging, 'server', basename(program));
  mkdirSync(join(staging, 'server'));
  copyFileSync(program, copy);
  chmodSync(copy, 0o755);
}

/** The page of the marketplace takes pictures and links from the repository. */
const pages = 'https://github.com/vramlens/vramlens';

const carriesServer = options.server !== 'none';
rmSync(staging, { recursive: true, force: true });
stage(extension, fromExtension);
stage(repository, fromRepository);
writeFileSync(join(staging, '.vscodeignore'), ''); // What is staged is what is packed.
if (carriesServer) {
  stageServer(resolve(options.server));
}
await createVSIX({
  cwd: staging,
  packagePath: resolve(options.out),
  dependencies: false,
  skipLicense: true,
  baseImagesUrl: `${pages}/raw/HEAD/editors/vscode`,
  baseContentUrl: `${pages}/blob/HEAD/editors/vscode`,
  ...(carriesServer && { target: options.target }),
});
