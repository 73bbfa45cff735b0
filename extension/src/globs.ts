/** Where a config file says that definitions lie. Works on any text: what cannot be read says nothing. */
import { DEFINITIONS } from './generated.js';
import { readJsonc } from './jsonc.js';

export interface Globs {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Relative to the folder of the config file; a glob that begins with `!` takes files away. */
export function definitionGlobs(config: string): Globs {
  const read = readJsonc(config);
  const given =
    typeof read === 'object' && read !== null ? (read as Record<string, unknown>)['definitions'] : undefined;
  const globs = Array.isArray(given) ? given.filter((glob): glob is string => typeof glob === 'string') : DEFINITIONS;
  const plain = (glob: string): string => glob.replace(/^!?(\.\/)?/, '');
  return {
    include: globs.filter((glob) => !glob.startsWith('!')).map(plain),
    exclude: globs.filter((glob) => glob.startsWith('!')).map(plain),
  };
}
