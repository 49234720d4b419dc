/** Runs the mocha suites of `host/` inside the extension host of a workbench. */

import { join } from 'node:path';

import { openBrowser } from './page.ts';
import type { Workbench } from './workbench.ts';

/** What to run, and where. */
export interface HostRun {
  readonly workbench: Workbench;
  /** The folder of the run. */
  readonly folder: string;
  /** The folder that VS Code opens. */
  readonly project: string;
  /** The folder with the bundled suites; it counts as an extension under development. */
  readonly suites: string;
}

/** The longest that all suites together may take, in milliseconds. */
const runLimit = 300_000;

/** Prints each test's result, and returns whether all passed. A log of everything else is `host.log` in the folder. */
export async function runInExtensionHost(run: HostRun): Promise<boolean> {
  const browser = await openBrowser(run.folder, { width: 1280, height: 800, scale: 1 });
  try {
    const page = await browser.newPage();
    const exit = new Promise<number>((resolve) => {
      void page.exposeFunction('codeAutomationExit', resolve);
    });
    await page.exposeFunction('codeAutomationLog', (_kind: string, words: unknown[]) => {
      const line = words.map(String).join(' ');
      if (line.startsWith('TEST ')) {
        console.log(line.slice('TEST '.length));
      }
    });
    await page.goto(address(run));
    return (await Promise.race([exit, tooLate()])) === 0;
  } finally {
    await browser.close();
  }
}

function address({ workbench, project, suites }: HostRun): string {
  const remote = (path: string) => `vscode-remote://${new URL(workbench.url).host}${path}`;
  const payload = [
    ['extensionDevelopmentPath', remote(suites)],
    ['extensionTestsPath', remote(join(suites, 'dist', 'index.cjs'))],
  ];
  return `${workbench.url}/?${new URLSearchParams({ folder: project, payload: JSON.stringify(payload) })}`;
}

async function tooLate(): Promise<number> {
  const signal = AbortSignal.timeout(runLimit);
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
  });
  console.log(`The extension host has not finished within ${runLimit / 1000} s.`);
  return 1;
}
