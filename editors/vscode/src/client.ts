/** The client of one run of the language server. */

import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';

import type { Program } from './program.ts';
import { forServer, section } from './settings.ts';

/** A client that leaves it to its owner to tell the user of failures, and writes them down only. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** What the server is told when it asks for the settings. */
const middleware: Middleware = {
  workspace: {
    configuration: ({ items }) => items.map((item) => (item.section === section ? forServer() : null)),
  },
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
