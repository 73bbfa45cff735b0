/**
 * Lint rules: the type-checked sets of typescript-eslint plus the few that this code base insists on. Layout belongs to
 * prettier, and who may import whom belongs to the architecture tests, so neither is repeated here.
 */
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['**/dist/', '.lintel/', 'test/fixtures/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      // The project service follows the references of our tsconfigs to the sources, so linting needs no build before it.
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      // `typeof import('pg')` names a driver that is only loaded when a plan uses it.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      // `!` is not written here, so an assertion that removes null is spelt out.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // `field['max_length']`: a name out of a definition, not a member of ours.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // A handle that returns a promise is `async` even without `await`: that is what turns a throw into a rejection.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // Figures are for whoever has asked for them; everything else has a log, or a terminal of its own.
    files: ['bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['kernel/cli/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'A command has its Terminal (kernel/cli/terminal.ts).' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // `expect(x).to.be.null` is an assertion, and a fake may do nothing.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Pages of the extension run in a browser of the editor.
    files: ['extension/media/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(
        ['document', 'window', 'acquireVsCodeApi', 'Blob', 'URL'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // The configuration itself: plain JavaScript that runs on Node.
    files: ['**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } },
  },
);
