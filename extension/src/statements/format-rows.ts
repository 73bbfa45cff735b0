/** Formats rows as a table of text. */
const WIDEST = 60;

export interface ShownRows {
  readonly rows: readonly object[];
  readonly hasMore: boolean;
  readonly took: number;
  readonly isWrite: boolean;
}

/** `name`: of the statement. A plan is a column of lines. */
export function formatRows(name: string, { rows, hasMore, took, isWrite }: ShownRows, isPlan: boolean): string {
  const head = `${name} · ${new Date().toLocaleTimeString()} · ${took} ms`;
  if (isPlan) return `${head}\n${rows.map((row) => String(Object.values(row)[0])).join('\n')}\n`;
  const count = `${hasMore ? 'the first ' : ''}${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  const end = isWrite ? ' · rolled back' : '';
  return [`${head} · ${count}${end}`, ...formatTable(rows), ''].join('\n');
}

function formatTable(rows: readonly object[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return [];
  const cells = rows.map((row) => {
    const values = row as Readonly<Record<string, unknown>>;
    return names.map((name) => formatCell(values[name]));
  });
  const widths = names.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const formatLine = (values: readonly string[], fill = ' '): string =>
    values
      .map((value, i) => value.padEnd(widths[i] ?? 0, fill))
      .join(' | ')
      .trimEnd();
  return [
    formatLine(names),
    formatLine(
      names.map(() => ''),
      '-',
    ),
    ...cells.map((row) => formatLine(row)),
  ];
}

function formatCell(value: unknown): string {
  const text =
    value === undefined ? '' : value === null ? 'NULL' : typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replaceAll(/[\r\n\t]/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}
