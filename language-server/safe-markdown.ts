/**
 * Text of specs as Markdown that an editor may show although strangers wrote it: no HTML, no pictures, no links but to web
 * pages, and never more than fits a hover. Code stays as it is.
 */
const CAP = 4000;

/** A fence at the beginning of a line, or a code span inside one; anything behind a backslash is neither. */
const CODE =
  /(\\[\s\S])|(^(`{3,})[^`\n]*\n[\s\S]*?\n\3`*[ \t]*$)|((?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\5(?!`))/gm;

/** Safe to stand between other blocks. */
export function safeMarkdown(text: string): string {
  const short = text.length <= CAP ? text : `${text.slice(0, CAP)} …`;
  let result = '';
  let at = 0;
  for (const found of short.matchAll(CODE)) {
    result += plain(short.slice(at, found.index));
    const [whole, escaped] = found;
    // An escaped bracket is harmless, and an escaped backtick opens nothing.
    result += escaped === undefined ? whole : escaped === '\\<' ? '&lt;' : whole;
    at = found.index + whole.length;
  }
  return result + plain(short.slice(at));
}

const plain = (text: string): string =>
  text
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!\\[')
    .replace(/\](\(\s*)(?!https?:\/\/)/gi, ']\\$1')
    // A definition of a link that stands elsewhere.
    .replace(/^([ \t>*+-]*\[[^\]\n]*\]):/gm, '$1\\:');

/** A name of somebody's file as code, whatever it holds. */
export function inCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  let length = 1;
  while (runs.includes(length)) length++;
  const fence = '`'.repeat(length);
  const pad = /^`|`$/.test(text) || text === '' ? ' ' : '';
  return fence + pad + text.replace(/\s+/g, ' ') + pad + fence;
}

/** A fenced block of a language; longer fences where the text has fences of its own. */
export function inBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
