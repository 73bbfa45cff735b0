/** Writes JSON for people: what fits into a line stands on one. */

/** Characters in a line. */
const COLUMNS = 120;

export const formatInline = (json: unknown): string =>
  Array.isArray(json)
    ? `[${json.map(formatInline).join(', ')}]`
    : typeof json === 'object' && json !== null
      ? formatMembers(Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}: ${formatInline(value)}`))
      : JSON.stringify(json);

const formatMembers = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;

/** `before`: characters of the line in front of the value. */
export function formatJson(json: unknown, indent = '', before = 0): string {
  const inline = formatInline(json);
  if (typeof json !== 'object' || json === null || indent.length + before + inline.length < COLUMNS) return inline;
  const inner = `${indent}  `;
  const parts = Array.isArray(json)
    ? json.map((item) => formatJson(item, inner))
    : Object.entries(json).map(([key, value]) => {
        const name = `${JSON.stringify(key)}: `;
        return `${name}${formatJson(value, inner, name.length)}`;
      });
  const [open, close] = Array.isArray(json) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}
