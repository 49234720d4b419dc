/**
 * Makes the pictures of the README from the extension as it is: `npm run pictures`.
 *
 * Each is the part of the window that matters, sharp enough for a screen of today.
 */

import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';

import type { HostRun } from './hostRun.ts';
import { openBrowser, User } from './page.ts';

const images = join(import.meta.dirname, '..', 'images');

/** Space around the window's part that is shown, in pixels. */
const margin = 8;

/** Leaves out what is not the subject, and puts cards where they hide less of it. */
export const pictureSettings = {
  'editor.minimap.enabled': false,
  'editor.hover.above': false,
  'editor.scrollBeyondLastLine': true,
  'vramlens.gpu': 'RTX 4090',
};

/** Takes all pictures. */
export async function takePictures({ workbench, folder, project }: HostRun): Promise<boolean> {
  const browser = await openBrowser(folder, { width: 1040, height: 640, scale: 1.5 });
  try {
    const user = new User(await browser.newPage());
    await user.openFolder(workbench.url, project);
    await user.openFile('assistant.py');
    await user.page.keyboard.press('Control+B');
    await pictureOfHover(user);
    await user.page.keyboard.press('Escape');
    await user.openFile('classic_loop.py');
    await pictureOfFinding(user);
    await user.page.keyboard.press('Escape');
    await pictureOfFix(user);
    return true;
  } finally {
    await browser.close();
  }
}

async function pictureOfHover(user: User): Promise<void> {
  const { page } = user;
  await page.locator('.editor-instance .view-line', { hasText: /writer.*GiB/ }).waitFor();
  await user.line('writer =').locator('span', { hasText: 'from_pretrained' }).last().hover();
  const card = page.locator('.monaco-hover', { hasText: 'GiB' }).first();
  await card.waitFor();
  await take(page, 'hover.png', [user.words('import torch'), user.words('writer ='), card]);
}

async function pictureOfFinding(user: User): Promise<void> {
  const { page } = user;
  await page.locator('.editor-instance .squiggly-error').first().waitFor();
  await user.line('loss_sum +=').locator('span', { hasText: 'loss_sum' }).last().hover();
  const card = page.locator('.monaco-hover', { hasText: 'keeps every activation' }).first();
  await card.waitFor();
  await take(page, 'finding.png', [user.words('def evaluate'), user.words('return loss_sum'), card]);
}

async function pictureOfFix(user: User): Promise<void> {
  const { page } = user;
  await user.goToLine(20);
  const row = page.locator('.action-widget .monaco-list-row', { hasText: 'torch.no_grad()' }).first();
  await user.pressUntil('Control+.', row);
  const menu = page.locator('.action-widget').first();
  await take(page, 'fix.png', [user.words('def evaluate'), user.words('return loss_sum'), menu]);
}

/** Takes a picture of the part of the window that holds all of these. */
async function take(page: Page, name: string, parts: Locator[]): Promise<void> {
  const boxes = (await Promise.all(parts.map((part) => part.boundingBox()))).filter((box) => box !== null);
  const editor = await page.locator('.editor-instance').first().boundingBox();
  if (editor === null || boxes.length < parts.length) {
    throw new Error(`${name}: a part of it is not in sight`);
  }
  const top = Math.max(Math.min(...boxes.map(({ y }) => y)) - margin, 0);
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
  const clip = { x: editor.x, y: top, width: right - editor.x, height: bottom - top };
  await page.screenshot({ path: join(images, name), clip });
}
