/** Every sentence that the extension itself says, and the buttons below it. */

import { commands, l10n, window } from 'vscode';

import type { Problem } from './program.ts';
import { section } from './settings.ts';

/** What stops the server. */
export type Failure =
  | Problem
  | { readonly why: 'stoppedAtStart'; readonly path: string }
  | { readonly why: 'stoppedTooOften' };

/** Says why there is no server, and offers what can be done. */
export async function tell(failure: Failure): Promise<void> {
  const labels = buttons(failure);
  const chosen = await window.showErrorMessage(sentence(failure), ...Object.keys(labels));
  const action = chosen === undefined ? undefined : labels[chosen];
  await action?.();
}

/** The failure in words: what happened, and the one thing to do. */
export function sentence(failure: Failure): string {
  switch (failure.why) {
    case 'notFound':
      return l10n.t(
        'VRAM Lens cannot start: there is no file {path}. Correct vramlens.path, or empty it to use the server that came with the extension.',
        { ...failure },
      );
    case 'notExecutable':
      return l10n.t('VRAM Lens cannot start: {path} is not executable. Run chmod +x on it, or correct vramlens.path.', {
        ...failure,
      });
    case 'notRunning':
      return l10n.t(
        'VRAM Lens cannot start: {path} does not run on this machine ({reason}). Set vramlens.path to a vramlens that was built for it.',
        { ...failure },
      );
    case 'notVramlens':
      return l10n.t(
        'VRAM Lens cannot start: {path} is not vramlens. Correct vramlens.path, or empty it to use the server that came with the extension.',
        { ...failure },
      );
    case 'tooOld':
      return l10n.t(
        'VRAM Lens cannot start: {path} is version {version}, and this extension needs {needed}. Update it, or empty vramlens.path to use the server that came with the extension.',
        { ...failure },
      );
    case 'noneForPlatform':
      return l10n.t(
        'VRAM Lens cannot start: this package of the extension has no server for {platform}, and there is no vramlens on your PATH. Install one with cargo install, or set vramlens.path.',
        { ...failure },
      );
    case 'stoppedAtStart':
      return l10n.t('VRAM Lens cannot start: {path} stopped before it was ready. The output says what it said last.', {
        ...failure,
      });
    case 'stoppedTooOften':
      return l10n.t('The server of VRAM Lens keeps stopping and is not started again. The output says what it said last.');
  }
}

function buttons(failure: Failure): Record<string, () => Thenable<unknown>> {
  const output = { [l10n.t('Show Output')]: () => commands.executeCommand('vramlens.showOutput') };
  if (failure.why === 'stoppedTooOften') {
    return { [l10n.t('Restart Server')]: () => commands.executeCommand('vramlens.restart'), ...output };
  }
  const openSettings = () => commands.executeCommand('workbench.action.openSettings', `${section}.path`);
  return { [l10n.t('Open Settings')]: openSettings, ...output };
}
