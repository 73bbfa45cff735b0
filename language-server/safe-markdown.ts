/** Sanitizes third-party Markdown: no HTML, no images, only web links, limited length. Code is unchanged. */
const CAP = 4000;

/** Matches fenced blocks and code spans; escaped characters are matched first, so that they open neither. */
const CODE =
  /(\\[\s\S])|(^(`{3,})[^`\n]*\n[\s\S]*?\n\3`*[ \t]*$)|((?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\5(?!`))/gm;

export function safeMarkdown(text: string): string {
  const short = text.length <= CAP ? text : `${text.slice(0, CAP)} …`;
  let result = '';
  let at = 0;
  for (const found of short.matchAll(CODE)) {
    result += sanitizeText(short.slice(at, found.index));
    const [whole, escaped] = found;
    // An escaped bracket is harmless, and an escaped backtick opens no code.
    result += escaped === undefined ? whole : escaped === '\\<' ? '&lt;' : whole;
    at = found.index + whole.length;
  }
  return result + sanitizeText(short.slice(at));
}

const sanitizeText = (text: string): string =>
  text
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!\\[')
    .replace(/\](\(\s*)(?!https?:\/\/)/gi, ']\\$1')
    // Disables link reference definitions.
    .replace(/^([ \t>*+-]*\[[^\]\n]*\]):/gm, '$1\\:');

export function toCodeSpan(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  let length = 1;
  while (runs.includes(length)) length++;
  const fence = '`'.repeat(length);
  const pad = /^`|`$/.test(text) || text === '' ? ' ' : '';
  return fence + pad + text.replace(/\s+/g, ' ') + pad + fence;
}

/** The fence is longer than any in the text. */
export function toCodeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
