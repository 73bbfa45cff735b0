/** Tables of text. */
import type { StyleText } from '../language/source/code-frame.js';

/** As wide as their longest cell, two spaces apart. `head`: titles, or null. */
export function alignColumns(
  head: readonly string[] | null,
  rows: readonly (readonly string[])[],
  paint: StyleText,
): string {
  const all = head === null ? rows : [head, ...rows];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const formatRow = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [...(head === null ? [] : [paint('dim', formatRow(head))]), ...rows.map(formatRow)].join('\n');
}
