/** Collects the unique fields and combinations of models, from models and from statements that write. */
import { removeMember } from '../source/edit-json.js';
import { findNearest } from '../source/suggest.js';
import type { LocatedNode } from '../source/tree.js';
import { formatType } from './validate-node.js';
import type { SqlText } from './facts.js';
import type { Definition } from './model.js';
import { formatHint, createRenameFix, type Report, type SourceLocation, createFix } from './report.js';
import type { TableNames } from './tables.js';

export type UniqueFields = ReadonlyMap<string, readonly (readonly string[])[]>;

type UniqueCollector = (model: string, fields: readonly string[]) => void;

const WRITES = /^(?:INSERT|UPDATE|MERGE)$/;

export function collectUniques(definitions: readonly Definition[], tables: TableNames, report: Report): UniqueFields {
  const found = new Map<string, Map<string, readonly string[]>>();
  const addUnique: UniqueCollector = (model, fields) => {
    const known = found.get(model) ?? new Map<string, readonly string[]>();
    const key = JSON.stringify([...fields].sort());
    if (fields.length > 0 && !known.has(key)) known.set(key, fields);
    found.set(model, known);
  };
  for (const definition of definitions)
    if (definition.sort === 'model') collectFromModel(definition, tables, report, addUnique);
  for (const definition of definitions) {
    for (const statement of definition.finds.statements)
      collectFromStatement(definition, statement, tables, report, addUnique);
    for (const { unique, collection } of definition.finds.documents) {
      if (unique !== null) collectFromTable(definition, unique, collection, tables, report, addUnique);
    }
  }
  return new Map([...found].map(([model, lists]) => [model, [...lists.values()]]));
}

function collectFromModel(definition: Definition, tables: TableNames, report: Report, collect: UniqueCollector): void {
  for (const { key, value } of definition.node.members) {
    if (value?.members.some((member) => member.key === 'unique' && member.value?.scalar === true) === true) {
      collect(definition.name, [key]);
    }
  }
  if (definition.unique === null) return;
  for (const fields of readLists(definition, definition.unique, report)) {
    checkFieldNames(definition, definition.name, fields, tables, report);
    collect(definition.name, toNames(fields));
  }
}

function collectFromStatement(
  definition: Definition,
  { unique, scan, around }: SqlText,
  tables: TableNames,
  report: Report,
  collect: UniqueCollector,
): void {
  if (unique === null) return;
  if (WRITES.test(scan.verb) && scan.target !== null) {
    collectFromTable(definition, unique, scan.target.name, tables, report, collect);
  } else if (scan.verb !== '') {
    const member = around?.members.find(({ value }) => value === unique);
    const changes = around && member ? removeMember(definition.doc, around, member) : [];
    const fix = createFix(`remove "${member?.key ?? ''}"`, changes);
    report.add('LNK_UNIQUE_NO_EFFECT', toLocation(definition, unique), {}, fix);
  }
}

function collectFromTable(
  definition: Definition,
  unique: LocatedNode,
  table: string,
  tables: TableNames,
  report: Report,
  collect: UniqueCollector,
): void {
  // The schema of the query has validated the form.
  const lists = readLists(definition, unique, null);
  const model = tables.findModel(table);
  if (model === undefined) {
    report.add('LNK_UNIQUE_NO_MODEL', toLocation(definition, unique), { name: table });
    return;
  }
  for (const fields of lists) {
    checkFieldNames(definition, model, fields, tables, report);
    collect(model, toNames(fields));
  }
}

const toLocation = ({ doc }: Definition, { start, end }: LocatedNode): SourceLocation => ({ doc, start, end });
const toNames = (fields: readonly LocatedNode[]): string[] => fields.map(({ scalar }) => String(scalar));

/** `["a", ["b", "c"]]`: each entry is a name or a list of names. */
function readLists(definition: Definition, node: LocatedNode, report: Report | null): LocatedNode[][] {
  const reportType = (found: LocatedNode, place: string, expected: string): [] => {
    const params = { place, expected, actual: formatType(found.type) };
    report?.add('DEF_TYPE', toLocation(definition, found), params);
    return [];
  };
  // The schema of the field validates that the node is a list.
  return node.items.flatMap((entry) => {
    if (entry.type === 'string') return [[entry]];
    if (entry.type !== 'array') return reportType(entry, 'an item of "unique"', 'a name or a list of names');
    if (entry.items.length === 0)
      report?.add('DEF_EMPTY', toLocation(definition, entry), { place: 'this combination' });
    const names = entry.items.filter(
      (item) => item.type === 'string' || reportType(item, 'an item of a combination', 'a name').length > 0,
    );
    return names.length === 0 ? [] : [names];
  });
}

function checkFieldNames(
  definition: Definition,
  model: string,
  fields: readonly LocatedNode[],
  tables: TableNames,
  report: Report,
): void {
  const known = tables.listFields(model);
  for (const field of fields) {
    const name = String(field.scalar);
    if (known.includes(name)) continue;
    const near = findNearest(name, known);
    report.add(
      'LNK_UNKNOWN_FIELD',
      toLocation(definition, field),
      { model, name, hint: formatHint(near) },
      createRenameFix(near),
    );
  }
}
