/** Keeps one language server running: starts it, stops it, and starts it again when it ends by itself. */

import type { ExtensionContext, LogOutputChannel } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { createClient } from './client.ts';
import { sentence, tell, type Failure } from './messages.ts';
import { findProgram, type Program } from './program.ts';
import { RestartLimit } from './restarts.ts';
import { configuredPath } from './settings.ts';

/** Holds at most one server, and makes one change to it at a time. */
export class Supervisor {
  readonly #context: ExtensionContext;
  readonly #output: LogOutputChannel;
  readonly #restarts = new RestartLimit();
  /** The client of a server that is ready. */
  #client: LanguageClient | undefined;
  /** The last of the changes under way: each begins when the one before it has ended. */
  #last: Promise<void> = Promise.resolve();

  constructor(context: ExtensionContext, output: LogOutputChannel) {
    this.#context = context;
    this.#output = output;
  }

  start(): Promise<void> {
    return this.#next(() => this.#start());
  }

  stop(): Promise<void> {
    return this.#next(() => this.#stop());
  }

  /** Starts the server anew because somebody asked for it, so what happened before counts no more. */
  restart(): Promise<void> {
    this.#restarts.reset();
    return this.#next(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  #next(change: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(change).catch((error: unknown) => {
      this.#log(error);
    });
    return this.#last;
  }

  async #start(): Promise<void> {
    const { extensionPath, extension } = this.#context;
    const { version } = extension.packageJSON as { version: string };
    const found = await findProgram({ configured: configuredPath(), extension: extensionPath, version });
    if ('why' in found) {
      this.#fail(found);
    } else {
      await this.#run(found);
    }
  }

  async #run(program: Program): Promise<void> {
    this.#output.info(`Starting ${program.path}, version ${program.version}`);
    const client = createClient(program, this.#output, () => {
      this.#stopped(client);
    });
    await client.start().catch(() => undefined); // The client has written down why.
    if (client.isRunning()) {
      this.#client = client;
    } else {
      this.#fail({ why: 'stoppedAtStart', path: program.path });
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A server that does not end in time is killed by its client, and must not keep a new one from starting.
    await client?.dispose().catch((error: unknown) => {
      this.#log(error);
    });
  }

  /** The server has ended by itself. One that ends before it is ready is not started again. */
  #stopped(client: LanguageClient): void {
    if (client !== this.#client) {
      return;
    }
    this.#client = undefined;
    if (this.#restarts.allows(Date.now())) {
      this.#output.warn('The server has stopped by itself and is started again.');
      void this.start();
    } else {
      this.#fail({ why: 'stoppedTooOften' });
    }
  }

  #log(error: unknown): void {
    this.#output.error(error instanceof Error ? error : String(error));
  }

  #fail(failure: Failure): void {
    this.#output.error(sentence(failure));
    void tell(failure);
  }
}
