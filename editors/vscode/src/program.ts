/** Finding the program `vramlens`, and making sure that it is one. Knows nothing of VS Code. */

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A program that can be started as the server. */
export interface Program {
  readonly path: string;
  readonly version: string;
}

/** Why there is no program to start. The names are those of the sentences in `messages.ts`. */
export type Problem =
  | { readonly why: 'notFound' | 'notExecutable' | 'notVramlens'; readonly path: string }
  | { readonly why: 'notRunning'; readonly path: string; readonly reason: string }
  | { readonly why: 'tooOld'; readonly path: string; readonly version: string; readonly needed: string }
  | { readonly why: 'noneForPlatform'; readonly platform: string };

/** Where to look for the program, and what is expected of it. */
export interface Search {
  /** The path in the settings; empty when there is none. */
  readonly configured: string;
  /** The folder that the extension is installed in. */
  readonly extension: string;
  /** The version of the extension: an older program lacks what it offers. */
  readonly version: string;
}

const run = promisify(execFile);

/** How long the program may take to say its version, in milliseconds: a cold disk is slow. */
const versionLimit = 20_000;

const fileName = process.platform === 'win32' ? 'vramlens.exe' : 'vramlens';

/** The program to start: the configured one and no other, else the bundled one, else the first on the search path. */
export async function findProgram(search: Search): Promise<Program | Problem> {
  const path = await locate(search);
  if (path === undefined) {
    return { why: 'noneForPlatform', platform: `${process.platform}-${process.arch}` };
  }
  return (await unusable(path)) ?? (await versionOf(path, search.version));
}

async function locate({ configured, extension }: Search): Promise<string | undefined> {
  if (configured !== '') {
    return configured.replace(/^~(?=[/\\])/, homedir());
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [join(extension, 'server'), ...folders].map((folder) => join(folder, fileName));
  for (const candidate of candidates) {
    if ((await stat(candidate).catch(() => undefined))?.isFile() === true) {
      return candidate;
    }
  }
  return undefined;
}

async function unusable(path: string): Promise<Problem | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) {
    return { why: 'notFound', path };
  }
  const executable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  return executable ? undefined : { why: 'notExecutable', path };
}

async function versionOf(path: string, needed: string): Promise<Program | Problem> {
  let answer: string;
  try {
    answer = (await run(path, ['--version'], { timeout: versionLimit })).stdout;
  } catch (error) {
    return { why: 'notRunning', path, reason: reasonOf(error) };
  }
  const version = /^vramlens (\d+\.\d+\.\d+\S*)\s*$/.exec(answer)?.[1];
  if (version === undefined) {
    return { why: 'notVramlens', path };
  }
  return isOlder(version, needed) ? { why: 'tooOld', path, version, needed } : { path, version };
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const said = stderr === undefined || stderr.trim() === '' ? message : stderr;
  return said.trim().split('\n')[0] ?? '';
}

/** Whether a version is of an earlier minor release than another. Patches do not change what is offered. */
export function isOlder(version: string, needed: string): boolean {
  const [major, minor] = release(version);
  const [neededMajor, neededMinor] = release(needed);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function release(version: string): [number, number] {
  const [major, minor] = version.split('.');
  return [Number(major), Number(minor)];
}
