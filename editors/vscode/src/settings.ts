/** The settings of VS Code under `vramlens`, and which of them the server is told. */

import { workspace } from 'vscode';

/** What all settings of the extension begin with; the server asks for them by this name. */
export const section = 'vramlens';

/** The settings that the server knows. It has the same names for them. */
export const serverKeys = ['select', 'ignore', 'exclude', 'gpu', 'inlayHints'] as const;

/** The program that the user wants for a server; empty when the extension is to choose. */
export function configuredPath(): string {
  return workspace.getConfiguration(section).get('path', '').trim();
}

/**
 * The settings for the server: those that somebody has set, to something. What is left out here, the settings file
 * of the project decides, so the editor's defaults must not stand in its way.
 */
export function forServer(): Record<string, unknown> {
  const settings = workspace.getConfiguration(section);
  const isSet = (key: string) => {
    const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect(key) ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
  };
  const written = serverKeys.filter(isSet).map((key) => [key, settings.get<unknown>(key)] as const);
  return Object.fromEntries(written.filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);
}
