/** JSON as people write it, with comments and commas too many, read as data. Gives undefined for what is no JSON. */

const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const COMMENT = new RegExp(String.raw`${TEXT}|//[^\n]*|/\*[^]*?(?:\*/|$)`, 'g');
/** Looked for when the comments are gone: one may hold a bracket. */
const COMMA = new RegExp(String.raw`${TEXT}|,(?=\s*[}\]])`, 'g');

export function readJsonc(text: string): unknown {
  const without = (part: RegExp, from: string): string =>
    from.replace(part, (token) => (token.startsWith('"') ? token : ''));
  try {
    return JSON.parse(without(COMMA, without(COMMENT, text.replace(/^\uFEFF/, '')))) as unknown;
  } catch {
    return undefined;
  }
}
