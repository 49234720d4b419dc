/** What the suites share: the project that is open, what the editor shows of it, and the server's process. */

import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import * as vscode from 'vscode';

import { notificationsFile } from '../runFiles.ts';
import { until } from '../until.ts';

/** The folder of the run, with everything that it writes. */
export const runFolder = process.env.VRAMLENS_TEST_FOLDER ?? '';

/** A file of the project. */
export function inProject(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    throw new Error('no folder is open');
  }
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Shows a file of the project, which `text` becomes first if it is given. */
export async function show(name: string, text?: string): Promise<vscode.TextDocument> {
  const uri = inProject(name);
  if (text !== undefined) {
    await writeFile(uri.fsPath, text);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

/** Closes every editor, and throws away what was not saved. */
export async function closeAll(): Promise<void> {
  while (vscode.window.activeTextEditor !== undefined) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/** The codes of what vramlens found in a document, in the order of their lines. */
export function codes(document: vscode.TextDocument): string[] {
  return findings(document).map(({ code }) => (typeof code === 'object' ? String(code.value) : String(code)));
}

/** What vramlens found in a document. */
export function findings(document: vscode.TextDocument): vscode.Diagnostic[] {
  const ours = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'vramlens');
  return ours.sort((one, other) => one.range.start.compareTo(other.range.start));
}

/** Waits until exactly these codes are reported. */
export async function untilFound(document: vscode.TextDocument, expected: string[]): Promise<void> {
  const wanted = expected.join(' ');
  await until(`the findings "${wanted}" in ${document.uri.path}`, () => codes(document).join(' ') === wanted);
}

/** The quick fixes that are offered for a finding. */
export async function fixesFor(document: vscode.TextDocument, finding: vscode.Diagnostic): Promise<vscode.CodeAction[]> {
  return vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, finding.range, 'quickfix');
}

/** The text of the hover card at the first place where `text` stands. */
export async function hoverAt(document: vscode.TextDocument, text: string): Promise<string> {
  const place = document.positionAt(document.getText().indexOf(text));
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, place);
  const contents = hovers.flatMap((hover) => hover.contents);
  return contents.map((content) => (content instanceof vscode.MarkdownString ? content.value : '')).join('\n');
}

/** The inlay hints of a document. */
export async function hintsOf(document: vscode.TextDocument): Promise<string[]> {
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, all);
  const parts = hints.map(({ label }) => (typeof label === 'string' ? [label] : label.map(({ value }) => value)));
  return parts.map((part) => part.join(''));
}

/** Sets a setting of the user, or unsets it. */
export async function set(name: string, value?: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

/** The processes of language servers that this extension host has started. */
export function servers(): number[] {
  const numbers = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return numbers.filter((pid) => isServer(pid));
}

function isServer(pid: number): boolean {
  try {
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(parent) === process.pid && readlinkSync(`/proc/${pid}/exe`).endsWith('/server/vramlens');
  } catch {
    return false; // It has ended.
  }
}

/** Waits for a server that is not one of these, and returns its process. */
export async function untilServerOtherThan(...others: number[]): Promise<number> {
  return until('a new server', () => {
    const running = servers();
    return running.length === 1 && !others.includes(running[0] ?? 0) && running[0];
  });
}

/** Waits for a notification that says this, returns it with the titles of its buttons, and puts all away. */
export async function untilTold(sentence: RegExp): Promise<string> {
  const told = await until(`a notification like ${sentence}`, async () => {
    await vscode.commands.executeCommand('notifications.showList');
    return notifications().find((text) => sentence.test(text));
  });
  await vscode.commands.executeCommand('notifications.clearAll');
  return told;
}

/** The notifications of the extension that are in sight. */
function notifications(): string[] {
  const file = join(runFolder, notificationsFile);
  const all = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8') || '[]') as string[]) : [];
  return all.filter((text) => text.includes('VRAM Lens')).map((text) => text.replaceAll(/\s+/g, ' '));
}
