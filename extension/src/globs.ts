/** Reads the definition globs of a config file. Accepts any text: an unreadable config yields the defaults. */
import { DEFINITIONS } from './generated.js';
import { readJsonc } from './jsonc.js';

export interface Globs {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Globs are relative to the config file's folder; a leading `!` excludes files. */
export function readDefinitionGlobs(config: string): Globs {
  const read = readJsonc(config);
  const given =
    typeof read === 'object' && read !== null ? (read as Record<string, unknown>)['definitions'] : undefined;
  const globs = Array.isArray(given) ? given.filter((glob): glob is string => typeof glob === 'string') : DEFINITIONS;
  const stripPrefix = (glob: string): string => glob.replace(/^!?(\.\/)?/, '');
  return {
    include: globs.filter((glob) => !glob.startsWith('!')).map(stripPrefix),
    exclude: globs.filter((glob) => glob.startsWith('!')).map(stripPrefix),
  };
}
