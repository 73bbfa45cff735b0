/** Array literals of PostgreSQL, `{1,NULL,"a \"b\""}`. */

export function formatArrayLiteral(items: readonly unknown[], element: (item: unknown) => string | null): string {
  const parts = items.map((item) => {
    const text = element(item);
    if (text === null) return 'NULL';
    return Array.isArray(item) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
  });
  return `{${parts.join(',')}}`;
}

/** Never throws: returns what could be read. */
export function parseArray(text: string, element: (item: string) => unknown): unknown[] {
  // Arrays with custom lower bounds begin with `[0:2]=`.
  let at = Math.max(0, text.indexOf('{'));
  const parseQuotedItem = (): string => {
    let item = '';
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++;
      item += text[at] ?? '';
    }
    at++;
    return item;
  };
  const parsePlainItem = (): string => {
    const from = at;
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at++;
    return text.slice(from, at);
  };
  const parseItems = (): unknown[] => {
    const items: unknown[] = [];
    at++;
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at++;
      else if (text[at] === '{') items.push(parseItems());
      else if (text[at] === '"') items.push(element(parseQuotedItem()));
      else {
        const item = parsePlainItem();
        items.push(item === 'NULL' ? null : element(item));
      }
    }
    at++;
    return items;
  };
  return parseItems();
}
