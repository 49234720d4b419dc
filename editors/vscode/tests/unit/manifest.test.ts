import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const extension = resolve(import.meta.dirname, '../..');
const repository = resolve(extension, '../..');
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope?: string;
  readonly markdownDescription: string;
}

const manifest = JSON.parse(read(extension, 'package.json')) as {
  version: string;
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: { configuration: { properties: Record<string, Setting> } };
};
const settings = manifest.contributes.configuration.properties;
const keys = Object.keys(settings).map((name) => name.replace('vramlens.', ''));

/** A list of names that a file of the server holds as a constant. */
function names(constant: string): string[] {
  const list = new RegExp(`const ${constant}: &\\[&str\\] = &\\[([^\\]]*)\\]`).exec(
    read(repository, 'server/src/settings.rs'),
  );
  return [...(list?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '');
}

test('the settings are those of the server, and those that it leaves to the editor', () => {
  assert.ok(names('KEYS').length > 0);
  const expected = [...names('KEYS'), ...names('EDITOR_KEYS')].sort();
  assert.deepEqual(keys.map((key) => key.split('.')[0]).sort(), expected);
});

test('the client sends the settings that the server knows', () => {
  const list = /serverKeys = \[([^\]]*)\]/.exec(read(extension, 'src/settings.ts'))?.[1] ?? '';
  assert.deepEqual([...list.matchAll(/'([^']+)'/g)].map(([, name]) => name).sort(), names('KEYS').sort());
});

test('what is set by default is what the server does without settings', () => {
  const empty = { string: '', array: [], boolean: true };
  for (const [name, setting] of Object.entries(settings).filter(([name]) => !name.includes('trace'))) {
    assert.deepEqual(setting.default, empty[setting.type as keyof typeof empty], name);
  }
});

test('a folder cannot choose the program', () => {
  assert.equal(settings['vramlens.path']?.scope, 'machine');
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes('vramlens.path'));
});

test('every sentence of the manifest is there, and used', () => {
  const texts = JSON.parse(read(extension, 'package.nls.json')) as Record<string, string>;
  const used = [...read(extension, 'package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '');
  assert.deepEqual(used.sort(), Object.keys(texts).sort());
});

test('the extension has the version of the server', () => {
  const version = /^version = "([^"]+)"$/m.exec(read(repository, 'Cargo.toml'))?.[1];
  assert.equal(manifest.version, version);
});
