/**
 * Timestamps that statements use although the model does not define them: the table gains the column, which may be
 * null, and the place that asked for it gets a hint. Asks which table is meant; in doubt nothing is added.
 */
import { DELETED, rewriteSql, TIMESTAMPS } from '../language/sql-rewrite.js';
import { readMentions } from '../language/sql-mentions.js';
import type { SqlText } from './finds.js';
import type { Definition } from './model.js';
import type { Report, Spot } from './report.js';
import { spotInText, type TableNames } from './tables.js';

interface Wanted {
  readonly model: string;
  readonly name: string;
  readonly spot: Spot;
}

/** The same names with the timestamps added. */
export function addTimestamps(definitions: readonly Definition[], tables: TableNames, report: Report): TableNames {
  const added = new Map<string, string[]>();
  for (const definition of definitions) {
    for (const statement of definition.finds.statements) {
      for (const { model, name, spot } of wantedBy(definition, statement, tables)) {
        const known = added.get(model) ?? [];
        if (tables.fieldsOf(model).includes(name) || known.includes(name)) continue;
        added.set(model, [...known, name]);
        report.add('LNK_TIMESTAMP_ADDED', spot, { model, name });
      }
    }
  }
  const addedTo = (model: string): readonly string[] => added.get(model) ?? [];
  return { ...tables, addedTo, fieldsOf: (model) => [...tables.fieldsOf(model), ...addedTo(model)] };
}

function wantedBy(definition: Definition, statement: SqlText, tables: TableNames): Wanted[] {
  const { scan, node, timestamps, softDelete } = statement;
  const written = readMentions(scan, TIMESTAMPS).flatMap((mention) => {
    const model = modelMeant(mention.name, mention.tables, scan.target?.name ?? null, tables);
    return model === null ? [] : [{ model, name: mention.name, spot: spotInText(definition, node, mention) }];
  });
  const target = scan.target === null ? undefined : tables.modelOf(scan.target.name);
  if (target === undefined || (timestamps === null && softDelete === null)) return written;
  const wish = { timestamps: timestamps !== null, softDelete: softDelete !== null };
  const switched = rewriteSql(scan, wish).columns.flatMap((name) => {
    const by = name === DELETED ? softDelete : timestamps;
    return by === null ? [] : [{ model: target, name, spot: { doc: definition.doc, start: by.start, end: by.end } }];
  });
  return [...written, ...switched];
}

/** Of several tables the one that is written to, else the first; none where one of them has the column already. */
function modelMeant(name: string, names: readonly string[], target: string | null, tables: TableNames): string | null {
  const models = names.map((table) => tables.modelOf(table));
  const [first] = models;
  if (first === undefined || models.includes(undefined)) return null;
  if (models.some((model) => model !== undefined && tables.fieldsOf(model).includes(name))) return null;
  return (target !== null && names.includes(target) ? tables.modelOf(target) : undefined) ?? first;
}
