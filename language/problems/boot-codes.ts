/** Codes that prevent the start, about the installation. */
import { defineProblem } from './define.js';

export const BOOT_CODES = {
  CFG_UNREADABLE: defineProblem(
    'error',
    'Config cannot be read',
    'The config file "{file}" cannot be read: {what}.',
    'Pass a readable file with `--config`.',
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
    'The runtime of "{name}" returns a handle without "{method}".',
    'The kind lists the methods of its handles.',
  ),
  PLG_NO_RUNTIME: defineProblem(
    'error',
    'No runtime',
    'The plugin "{name}" has no runtime.',
    'Put `runtime.js` next to its `spec.js`.',
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
    'Check the server that it connects to. Run long table changes with `lintel migrate`, which has no time limit.',
  ),
  PLG_OPEN: defineProblem(
    'error',
    'Plugin failed',
    'The plugin "{name}" could not {what}: {detail}',
    'Check the server that it connects to.',
  ),
  KRN_SEALED: defineProblem(
    'error',
    'Hooks are sealed',
    '"{name}" taps the hook "{hook}" after the kernel is ready.',
    'Tap hooks in `register`. A plugin that is first used after a reload can tap only after a restart: restart the process.',
  ),
  KRN_ROUTE: defineProblem(
    'error',
    'Path not available',
    '"{name}" cannot serve "{path}": {what}.',
    'Change the path of the resource, or that of the plugin in its options.',
  ),
  KRN_HOOK: defineProblem(
    'error',
    'Unknown hook',
    '"{name}" taps the hook "{hook}", which does not exist.{hint}',
    'The hooks are listed in docs/reference/hooks.md.',
  ),
  KRN_TAP: defineProblem(
    'error',
    'Tap not possible',
    '"{name}" taps "{hook}" {what}.',
    'docs/reference/hooks.md lists what each hook takes and returns.',
  ),
  KRN_BROKEN_SET: defineProblem(
    'error',
    'Definitions not valid',
    'The definitions have {count} error(s); nothing is served.',
    'Fix them, or use `lintel dev`, which serves the valid ones.',
  ),
  CLI_NOT_EMPTY: defineProblem(
    'error',
    'Folder not empty',
    'The folder "{folder}" already contains files.',
    'Name another folder, or use `--force`, which adds missing files and overwrites none.',
  ),
  CLI_FILE: defineProblem(
    'error',
    'File not usable',
    '"{file}" cannot be used: {what}.',
    'Check the path and its permissions.',
  ),
  CLI_STALE: defineProblem(
    'error',
    'Out of date',
    'The output differs from {what}.',
    'Run `lintel {command}` without `--check` and commit the result.',
  ),
  CLI_FLAWS: defineProblem(
    'error',
    'Specs not valid',
    'The specs in "{folder}" have {count} issue(s); no manifest is written.',
    'Fix the issues listed above.',
  ),
  CLI_GENERATE: defineProblem(
    'error',
    'Secret without a length',
    '.env.example generates "{name}" without a length from 1 to {most}.',
    'Write it like `JWT_SECRET_KEY=generate:32`.',
  ),
} as const;
