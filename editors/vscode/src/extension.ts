/** Where VS Code enters: starts the language server, and stops it at the end. */

import { commands, window, workspace, type ExtensionContext } from 'vscode';

import { section } from './settings.ts';
import { Supervisor } from './supervisor.ts';

let supervisor: Supervisor | undefined;

/** Called when the first Python file is opened. */
export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel('VRAM Lens', { log: true });
  const running = new Supervisor(context, output);
  supervisor = running;
  context.subscriptions.push(
    output,
    commands.registerCommand('vramlens.restart', () => running.restart()),
    commands.registerCommand('vramlens.showOutput', () => {
      output.show();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration(`${section}.path`)) {
        await running.restart();
      }
    }),
  );
  await running.start();
}

/** Called when the window closes. */
export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}
