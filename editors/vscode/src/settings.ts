/** The settings of VS Code under `vramlens`, and which of them the server is told. */

import { workspace } from 'vscode';

/** What all settings of the extension begin with; the server asks for them by this name. */
export const section = 'vramlens';

/** The settings that the server knows. It has the same names for them. */
const serverKeys = ['select', 'ignore', 'exclude', 'gpu'] as const;

/** The program that the user wants for a server; empty when the extension is to choose. */
export function configuredPath(): string {
  return workspace.getConfiguration(section).get('path', '').trim();
}

/** Whether hints at the end of lines are wanted. */
export function wantsInlayHints(): boolean {
  return workspace.getConfiguration(section).get('inlayHints', true);
}

/**
 * The settings for the server: those with something in them. What is left out there, the settings file of the
 * project decides, so the defaults of the editor must not stand in its way.
 */
export function forServer(): Record<string, unknown> {
  const settings = workspace.getConfiguration(section);
  const written = serverKeys.map((key) => [key, settings.get<string | string[]>(key)] as const);
  return Object.fromEntries(written.filter(([, value]) => value !== undefined && value.length > 0));
}
