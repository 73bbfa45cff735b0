/** Parses JSON with comments and trailing commas. Returns undefined for invalid JSON. */

const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const COMMENT = new RegExp(String.raw`${TEXT}|//[^\n]*|/\*[^]*?(?:\*/|$)`, 'g');
/** Applied after comments are removed, because a comment may follow the comma. */
const COMMA = new RegExp(String.raw`${TEXT}|,(?=\s*[}\]])`, 'g');

export function readJsonc(text: string): unknown {
  const removeTokens = (part: RegExp, from: string): string =>
    from.replace(part, (token) => (token.startsWith('"') ? token : ''));
  try {
    return JSON.parse(removeTokens(COMMA, removeTokens(COMMENT, text.replace(/^\uFEFF/, '')))) as unknown;
  } catch {
    return undefined;
  }
}
