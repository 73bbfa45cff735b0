/** Formats an error for the terminal: boot errors with the catalogue's message. */
import { BootError } from '../contract/boot-error.js';
import { fillMessage, type Params } from '../contract/problem.js';
import { CATALOGUE } from '../language/problems/catalogue.js';
import { PROGRAM_CODES } from '../language/problems/with-program-codes.js';
import type { StyleText } from '../language/source/code-frame.js';

export function formatError(error: unknown, paint: StyleText): string {
  if (error instanceof BootError) {
    const entry = CATALOGUE[error.code] ?? PROGRAM_CODES[error.code] ?? error.words;
    const message = entry === undefined ? error.message : fillMessage(entry.message, error.params);
    const more = [
      ...(error.place === undefined ? [] : [`at ${error.place}`]),
      ...(entry === undefined ? [] : [fillHelp(entry.help, error.params)]),
    ];
    return [`${paint('error', 'error')} ${paint('dim', error.code)} ${message}`, ...more].join('\n      ');
  }
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A help may show braces of its own. */
const fillHelp = (help: string, params: Params): string =>
  help.replace(/\{([a-zA-Z]+)\}/g, (braces, name: string) => String(params[name] ?? braces));
