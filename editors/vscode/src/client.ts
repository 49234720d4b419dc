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

/** A client that starts the program, and calls `onStopped` when the server ends without being asked to. */
export function createClient(program: Program, output: LogOutputChannel, onStopped: () => void): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'untitled', language: 'python' },
    ],
    outputChannel: output,
    middleware: middleware(() => client.isRunning()),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        onStopped();
        return { action: CloseAction.DoNotRestart, handled: true, message: 'The server has ended.' };
      },
    },
  };
  const client = new Client(section, 'VRAM Lens', { command: program.path, args: ['server'] }, options);
  return client;
}

/** What the server is told of settings: the values when it asks, and changes only while it runs. */
function middleware(isRunning: () => boolean): Middleware {
  return {
    workspace: {
      configuration: ({ items }) => items.map((item) => (item.section === section ? forServer() : null)),
      didChangeConfiguration: async (sections, next) => {
        if (isRunning()) {
          await next(sections);
        }
      },
    },
  };
}
