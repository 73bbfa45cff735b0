/** Logs of the kernels that are open: a failed test prints their warnings and errors. */
export interface LogRow {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const open = new Set<readonly LogRow[]>();
/** Of each log, the last ones. */
const ROWS = 6;

/** Returns the function that ends it. */
export function addOpenLog(rows: readonly LogRow[]): () => void {
  open.add(rows);
  return () => void open.delete(rows);
}

export function describeOpenLogs(): string[] {
  return [...open].flatMap((rows) => {
    const serious = rows.filter(({ level }) => level === 'warn' || level === 'error');
    return serious
      .slice(-ROWS)
      .map(({ level, message, fields }) => `log: ${level} ${message} ${describeFields(fields)}`);
  });
}

function describeFields(fields: LogRow['fields']): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value)).slice(
      0,
      400,
    );
  } catch {
    return Object.keys(fields).join(', ');
  }
}
