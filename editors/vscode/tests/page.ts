/** A page of the workbench in a browser, and what a user does on it with keys and mouse. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { chromium, type BrowserContext, type Locator, type Page } from 'playwright-core';

import { notificationsFile } from './runFiles.ts';
import { limit, until } from './until.ts';

/** How large the window is, and how sharp. */
export interface Window {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens a browser with a profile in `folder`, where it writes down which notifications are in sight. */
export async function openBrowser(folder: string, window: Window): Promise<BrowserContext> {
  const browser = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(),
    headless: true,
    viewport: { width: window.width, height: window.height },
    deviceScaleFactor: window.scale,
    args: flags,
  });
  browser.setDefaultTimeout(limit);
  await browser.exposeFunction('notificationsAre', (texts: string[]) => {
    writeFileSync(join(folder, notificationsFile), JSON.stringify(texts));
  });
  await browser.addInitScript(watchNotifications);
  return browser;
}

/** Runs in the page, before anything of it: tells of the notifications whenever other ones are in sight. */
function watchNotifications(): void {
  const page = globalThis as unknown as { notificationsAre(texts: string[]): void };
  let told = '[]';
  new MutationObserver(() => {
    const items = document.querySelectorAll<HTMLElement>('.notifications-center.visible .notification-list-item');
    const texts = [...items].map((item) => item.innerText);
    if (JSON.stringify(texts) !== told) {
      told = JSON.stringify(texts);
      page.notificationsAre(texts);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true, attributeFilter: ['class'] });
}

/** Whether something is to be seen before long. */
async function appears(thing: Locator): Promise<boolean> {
  return thing.waitFor({ timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

/** A user at the window. */
export class User {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the window with a folder, and waits until it can be used. */
  async openFolder(url: string, folder: string): Promise<void> {
    await this.page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  }

  /** Opens a file of the folder by its name; again if the list of files was not ready and another one was taken. */
  async openFile(name: string): Promise<void> {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
    await until(`${name} to open`, async () => {
      await this.#pick('Control+P', name, name);
      return appears(tab);
    });
  }

  /** Runs a command of the palette by its title. */
  async runCommand(title: string): Promise<void> {
    await this.#pick('F1', `>${title}`, title);
  }

  /** Puts the cursor on a line of the open file. */
  async goToLine(line: number): Promise<void> {
    await this.#pick('Control+G', `:${line}`, `line ${line}`);
    await this.page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
  }

  /** Presses keys, again while nothing comes of it: a window that is still busy may swallow them. */
  async pressUntil(keys: string, shown: Locator): Promise<void> {
    await until(`${keys} to work`, async () => {
      await this.page.keyboard.press(keys);
      return appears(shown);
    });
  }

  /** A line of the open file that holds this text. */
  line(text: string): Locator {
    return this.page.locator('.editor-instance .view-line', { hasText: text }).first();
  }

  /** The same, without the empty space behind it. */
  words(text: string): Locator {
    return this.line(text).locator('> span');
  }

  async #pick(keys: string, typed: string, row: string): Promise<void> {
    const box = this.page.locator('.quick-input-widget input[type=text]');
    await this.pressUntil(keys, box);
    await box.fill(typed);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: row }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await box.waitFor({ state: 'hidden' });
  }
}
