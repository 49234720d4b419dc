import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import typescript from 'typescript-eslint';

export default defineConfig(
  { ignores: ['**/dist/', 'node_modules/', 'eslint.config.mjs'] },
  eslint.configs.recommended,
  typescript.configs.strictTypeChecked,
  typescript.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-globals': ['error', { name: 'setTimeout', message: 'Wait for a condition, never for a time.' }],
    },
  },
  {
    // `node --test` waits for what these return.
    files: ['tests/unit/**'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
);
