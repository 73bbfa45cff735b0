/** The definition globs of a config file; an unreadable one yields the defaults. */
import { DEFINITIONS } from './generated.js';

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

const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const COMMENT = new RegExp(String.raw`${TEXT}|//[^\n]*|/\*[^]*?(?:\*/|$)`, 'g');
/** Applied after comments are removed, because a comment may follow the comma. */
const COMMA = new RegExp(String.raw`${TEXT}|,(?=\s*[}\]])`, 'g');

/** JSON with comments and trailing commas; undefined if it is invalid. */
export function readJsonc(text: string): unknown {
  const removeTokens = (part: RegExp, from: string): string =>
    from.replace(part, (token) => (token.startsWith('"') ? token : ''));
  try {
    return JSON.parse(removeTokens(COMMA, removeTokens(COMMENT, text.replace(/^\uFEFF/, '')))) as unknown;
  } catch {
    return undefined;
  }
}
