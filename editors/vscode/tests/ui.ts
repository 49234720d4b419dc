/** Uses the extension as a person does, by keys and mouse, with a picture after every step. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { HostRun } from './hostRun.ts';
import { openBrowser, User } from './page.ts';
import { until } from './until.ts';

/** One thing that a person does, and sees happen. */
interface Step {
  readonly name: string;
  readonly act: (user: User) => Promise<void>;
}

/** Prints each step's result, and returns whether all went well. Pictures are in `steps` in the folder. */
export async function useByHand({ workbench, folder, project }: HostRun): Promise<boolean> {
  const pictures = join(folder, 'steps');
  mkdirSync(pictures);
  const browser = await openBrowser(folder, { width: 1280, height: 800, scale: 1 });
  try {
    const user = new User(await browser.newPage());
    for (const [index, { name, act }] of steps(workbench.url, project).entries()) {
      const start = Date.now();
      const failure = await act(user).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      await user.page.screenshot({ path: join(pictures, `${String(index + 1).padStart(2, '0')} ${name}.png`) });
      const time = `(${Date.now() - start} ms)`;
      console.log(failure === undefined ? `ok    by hand: ${name} ${time}` : `FAIL  by hand: ${name} ${time}: ${failure}`);
      if (failure !== undefined) {
        return false;
      }
    }
    return true;
  } finally {
    await browser.close();
  }
}

function steps(url: string, project: string): Step[] {
  const file = 'classic_loop.py';
  const onDisk = () => readFileSync(join(project, file), 'utf8');
  const fixMenu = '.action-widget .monaco-list-row';
  return [
    { name: 'open a folder that is not trusted', act: (user) => user.openFolder(url, project) },
    { name: 'open a script', act: (user) => user.openFile(file) },
    {
      name: 'see a squiggle',
      act: async ({ page }) => {
        await page.locator('.editor-instance .squiggly-error').first().waitFor();
      },
    },
    {
      name: 'point at it and read why',
      act: async (user) => {
        await user.line('loss_sum +=').locator('span', { hasText: 'loss_sum' }).last().hover();
        await user.page.locator('.monaco-hover-content', { hasText: 'keeps every activation' }).first().waitFor();
      },
    },
    {
      name: 'open the list of problems',
      act: async (user) => {
        await user.page.keyboard.press('Escape');
        const row = user.page.locator('.markers-panel .monaco-list-row', { hasText: 'OOM202' });
        await user.pressUntil('Control+Shift+M', row.first());
      },
    },
    {
      name: 'go to the line and open the fixes',
      act: async (user) => {
        await user.page.keyboard.press('Control+J');
        await user.openFile(file);
        await user.goToLine(20);
        await user.pressUntil('Control+.', user.page.locator(fixMenu, { hasText: '@torch.no_grad()' }).first());
      },
    },
    {
      name: 'apply the first',
      act: async (user) => {
        await user.page.keyboard.press('Enter');
        await user.line('@torch.no_grad()').waitFor();
        await user.page.locator('.editor-instance .squiggly-error').first().waitFor({ state: 'detached' });
      },
    },
    {
      name: 'save',
      act: async ({ page }) => {
        await page.keyboard.press('Control+S');
        await until('the fix on the disk', () => onDisk().includes('@torch.no_grad()\ndef evaluate('));
      },
    },
    {
      name: 'open a script that loads models, and read the GiB',
      act: async (user) => {
        await user.openFile('assistant.py');
        await user.page.locator('.editor-instance .view-line', { hasText: /writer.*GiB/ }).waitFor();
      },
    },
    {
      name: 'point at a load and read more',
      act: async (user) => {
        await user.line('writer =').locator('span', { hasText: 'from_pretrained' }).last().hover();
        await user.page.locator('.monaco-hover-content', { hasText: /GiB.of.weights/ }).first().waitFor();
      },
    },
    {
      name: 'restart the server',
      act: async (user) => {
        await user.page.keyboard.press('Escape');
        await user.openFile(file);
        await user.goToLine(50);
        await user.runCommand('VRAM Lens: Restart Server');
        await user.page.locator('.editor-instance .squiggly-warning').first().waitFor();
      },
    },
    {
      name: 'set a wrong path',
      act: async (user) => {
        await user.runCommand('Preferences: Open Settings (UI)');
        // A setting of the machine: a window that is served from elsewhere keeps it with the others of that machine.
        await user.page.locator('.settings-tabs-widget .action-label', { hasText: 'Remote' }).click();
        await user.page.locator('.settings-header .suggest-input-container').click();
        await user.page.keyboard.type('vramlens.path');
        const setting = user.page.locator('.settings-editor .setting-item', { hasText: 'Vramlens: Path' }).first();
        await setting.locator('input').fill('/no/such/vramlens');
        await user.page.locator('.notification-toast', { hasText: 'there is no file /no/such/vramlens' }).first().waitFor();
      },
    },
    {
      name: 'open the output from the message',
      act: async ({ page }) => {
        await page.keyboard.press('Escape');
        await page.locator('.notification-toast .monaco-button', { hasText: 'Show Output' }).first().click();
        await page.locator('.output-view .view-line', { hasText: 'cannot start' }).first().waitFor();
      },
    },
  ];
}
