/** The client of one run of the language server. */

import { window, type LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  InlayHintRequest,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';

import type { Program } from './program.ts';
import { forServer, section, wantsInlayHints } from './settings.ts';

/** A client that leaves it to its owner to tell the user of failures, and writes them down only. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Settings and hints pass through here on their way. */
const middleware: Middleware = {
  workspace: {
    configuration: ({ items }) => items.map((item) => (item.section === section ? forServer() : null)),
  },
  provideInlayHints: (document, range, token, next) =>
    wantsInlayHints() ? next(document, range, token) : [],
};

/** A client that starts the program, and calls `onStopped` when the server ends without being asked to. */
export function createClient(program: Program, output: LogOutputChannel, onStopped: () => void): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'untitled', language: 'python' },
    ],
    outputChannel: output,
    middleware,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        onStopped();
        return { action: CloseAction.DoNotRestart, handled: true, message: 'The server has ended.' };
      },
    },
  };
  return new Client(section, 'VRAM Lens', { command: program.path, args: ['server'] }, options);
}

/** Has the editor ask for the inlay hints that are in sight again. */
export function refreshInlayHints(client: LanguageClient): void {
  const feature = client.getFeature(InlayHintRequest.method);
  const providers = window.visibleTextEditors.map(({ document }) => feature.getProvider(document));
  for (const provider of new Set(providers)) {
    provider?.onDidChangeInlayHints.fire();
  }
}
