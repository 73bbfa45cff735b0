/** Codes that prevent the start, about the installation rather than definitions. Data only. */
import { defineProblem } from './define.js';

export const BOOT_CODES = {
  CFG_UNREADABLE: defineProblem(
    'error',
    'Config cannot be read',
    'The config file "{file}" cannot be read: {what}.',
    'Give a readable file with `--config`.',
  ),
  CFG_ADDRESS: defineProblem(
    'error',
    'Address not available',
    'Cannot listen on {address}: {what}.',
    'Choose another `PORT` or `HOST`.',
  ),
  PLG_HANDLE: defineProblem(
    'error',
    'Handle incomplete',
    'The runtime of "{name}" gives a handle without "{method}".',
    'The kind lists the methods of its handles.',
  ),
  PLG_NO_RUNTIME: defineProblem(
    'error',
    'No runtime',
    'The plugin "{name}" has no runtime.',
    'Put `runtime.js` beside its `spec.js`.',
  ),
  PLG_UNDECLARED: defineProblem(
    'error',
    'Undeclared dependency',
    'The plugin "{name}" resolves "{other}" without naming it in `requires`.',
    'Add it to `requires` in the spec.',
  ),
  PLG_TIMEOUT: defineProblem(
    'error',
    'Plugin too slow',
    'The plugin "{name}" did not {what} within {seconds} s.',
    'Check what it connects to. Long changes of tables belong to `lintel migrate`, which waits for them.',
  ),
  PLG_OPEN: defineProblem(
    'error',
    'Plugin failed',
    'The plugin "{name}" could not {what}: {detail}',
    'Check what it connects to.',
  ),
  KRN_SEALED: defineProblem(
    'error',
    'Hooks are sealed',
    '"{name}" taps the hook "{hook}" after the kernel is ready.',
    'Tap hooks in `register`. A plugin that a reload is the first to use can tap only after a restart: start the process again.',
  ),
  KRN_ROUTE: defineProblem(
    'error',
    'Address not free',
    '"{name}" cannot answer "{path}": {what}.',
    'Give the resource another path, or the plugin another one in its options if it has any.',
  ),
  KRN_HOOK: defineProblem(
    'error',
    'Unknown hook',
    '"{name}" taps the hook "{hook}", which does not exist.{hint}',
    'The hooks are listed in docs/architecture.md.',
  ),
  KRN_TAP: defineProblem(
    'error',
    'Tap not possible',
    '"{name}" taps "{hook}" {what}.',
    'docs/architecture.md says what each hook gets and may give.',
  ),
  KRN_BROKEN_SET: defineProblem(
    'error',
    'Definitions not valid',
    'The definitions have {count} error(s); nothing is served.',
    'Mend them, or use `lintel dev`, which serves what is sound.',
  ),
  CLI_NOT_EMPTY: defineProblem(
    'error',
    'Folder not empty',
    'The folder "{folder}" holds files already.',
    'Name another folder, or use `--force`, which adds what is missing and writes over nothing.',
  ),
  CLI_FILE: defineProblem(
    'error',
    'File not usable',
    '"{file}" cannot be used: {what}.',
    'Check the path and its permissions.',
  ),
  CLI_STALE: defineProblem(
    'error',
    'Not current',
    'What would be written now differs from {what}.',
    'Run `lintel {command}` without `--check` and commit the result.',
  ),
  CLI_FLAWS: defineProblem(
    'error',
    'Specs not clean',
    'The specs in "{folder}" have {count} flaw(s); no manifest is written.',
    'Mend what is listed above.',
  ),
  CLI_GENERATE: defineProblem(
    'error',
    'Secret without a length',
    '.env.example asks to generate "{name}", but names no length from 1 to {most}.',
    'Write it like `JWT_SECRET_KEY=generate:32`.',
  ),
} as const;
