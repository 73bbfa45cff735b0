/** Rows for tests that the tables accept, with those they refer to. Pure. */
import type { Json, JsonObject } from '../../../../contract/json.js';
import type { ModelColumn, ModelTable } from '../../../../contract/model.js';

/** Different for each number. */
export function createSampleValue({ name, type, maxLength, holds, autoIncrement }: ModelColumn, n: number): Json {
  // The database counts from 1 when a test creates a row.
  if (autoIncrement) return 100 + n;
  if (type === 'integer') return n;
  if (type === 'float') return n + 0.5;
  if (type === 'boolean') return n % 2 === 0;
  if (type === 'timestamp') return `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`;
  if (type === 'json') return holds?.form === 'array' ? [] : {};
  const text = `${name} ${n}`;
  return maxLength === null || text.length <= maxLength ? text : String(n).slice(-maxLength);
}

export interface SampleRows {
  /** Adds the row with this number, and those that it must refer to. */
  add(table: ModelTable, n: number, given?: JsonObject): JsonObject;
  /** By table, those that others refer to first. */
  toTables(): Readonly<Record<string, Json>>;
}

/** Without a value, a column that may be empty is left out. */
export function createSampleRows(tables: readonly ModelTable[]): SampleRows {
  const rows = new Map<string, Map<string, JsonObject>>();
  const byName = new Map(tables.map((table) => [table.table, table]));

  function createValue(table: ModelTable, column: ModelColumn, n: number): Json {
    const { references } = column;
    const target = references === null ? undefined : byName.get(references.table);
    const key = target?.columns.find(({ name }) => name === references?.column);
    if (target === undefined || key === undefined) return createSampleValue(column, n);
    // A row may refer to itself.
    return target === table ? createSampleValue(key, n) : (add(target, n)[key.name] ?? null);
  }

  function add(table: ModelTable, n: number, given: JsonObject = {}): JsonObject {
    const known = rows.get(table.table) ?? new Map<string, JsonObject>();
    const before = known.get(String(n));
    if (before !== undefined) return before;
    const needed = table.columns.filter(
      ({ name, nullable, blindOf }) => !Object.hasOwn(given, name) && !nullable && blindOf === undefined,
    );
    const row: Record<string, Json> = {};
    known.set(String(n), row);
    for (const column of needed) row[column.name] = createValue(table, column, n);
    Object.assign(row, given);
    rows.set(table.table, rows.get(table.table) ?? known);
    return row;
  }

  return {
    add,
    toTables() {
      const sorted: string[] = [];
      const visit = (name: string): void => {
        if (sorted.includes(name) || !rows.has(name)) return;
        const written = new Set([...(rows.get(name)?.values() ?? [])].flatMap((row) => Object.keys(row)));
        const columns = byName.get(name)?.columns.filter((column) => written.has(column.name)) ?? [];
        const targets = columns.flatMap(({ references }) => references?.table ?? []);
        for (const target of targets) if (target !== name && !path.includes(target)) visitIn(name, target);
        sorted.push(name);
      };
      const path: string[] = [];
      const visitIn = (name: string, target: string): void => {
        path.push(name);
        visit(target);
        path.pop();
      };
      for (const name of rows.keys()) visit(name);
      return Object.fromEntries(sorted.map((name) => [name, [...(rows.get(name)?.values() ?? [])]]));
    },
  };
}
