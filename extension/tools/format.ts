/** Formats generated files with the repository's formatter (oxfmt). */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { ROOT } from './places.js';

interface Settings extends FormatConfig {
  readonly ignorePatterns: readonly string[];
}

/** Returns `text` as `npm run format` would write it to `file`; unchanged for ignored files. Throws on a syntax error. */
export async function formatText(file: string, text: string): Promise<string> {
  const { ignorePatterns, ...settings } = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as Settings;
  const path = relative(ROOT, file).replaceAll(sep, '/');
  if (ignorePatterns.some((folder) => path.startsWith(`${folder}/`))) return text;
  const { code, errors } = await format(file, text, settings);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
