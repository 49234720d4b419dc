/** What VS Code runs in its extension host: all suites. Each result is a line for `hostRun.ts`. */

import Mocha from 'mocha';

import { limit } from '../until.ts';

export async function run(): Promise<void> {
  const mocha = new Mocha({ timeout: 2 * limit, reporter: Mocha.reporters.Base });
  mocha.suite.emit('pre-require', globalThis, null, mocha);
  await import('./findings.suite.ts');
  await import('./estimates.suite.ts');
  await import('./settings.suite.ts');
  await import('./server.suite.ts');
  const failures = await new Promise<number>((resolve) => {
    report(mocha.run(resolve));
  });
  if (failures > 0) {
    throw new Error(`${failures} failed`);
  }
}

function report(runner: Mocha.Runner): void {
  const say = (text: string) => {
    console.log(`TEST ${text}`);
  };
  runner.on('pass', (test) => {
    say(`ok    ${test.fullTitle()} (${test.duration ?? 0} ms)`);
  });
  runner.on('pending', (test) => {
    say(`later ${test.fullTitle()}`);
  });
  runner.on('fail', (test, error: Error) => {
    say(`FAIL  ${test.fullTitle()}: ${error.message}`);
  });
  runner.on('end', () => {
    const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
    say(`${passes} passed, ${failures} failed, ${pending} for later`);
  });
}
