/** Collects the unique fields and combinations of models, from models and from statements that write. */
import { removeMember } from '../source/edit-json.js';
import { nearest } from '../source/suggest.js';
import type { LocatedNode } from '../source/tree.js';
import { typeWord } from './judge.js';
import type { SqlText } from './finds.js';
import type { Definition } from './model.js';
import { repair } from './repairs.js';
import { hint, rename, type Report, type Spot } from './report.js';
import type { TableNames } from './tables.js';

export type Uniques = ReadonlyMap<string, readonly (readonly string[])[]>;

type Collect = (model: string, fields: readonly string[]) => void;

const WRITES = /^(?:INSERT|UPDATE|MERGE)$/;

export function collectUniques(definitions: readonly Definition[], tables: TableNames, report: Report): Uniques {
  const found = new Map<string, Map<string, readonly string[]>>();
  const collect: Collect = (model, fields) => {
    const known = found.get(model) ?? new Map<string, readonly string[]>();
    const key = JSON.stringify([...fields].sort());
    if (fields.length > 0 && !known.has(key)) known.set(key, fields);
    found.set(model, known);
  };
  for (const definition of definitions) if (definition.sort === 'model') ofModel(definition, tables, report, collect);
  for (const definition of definitions) {
    for (const statement of definition.finds.statements) ofStatement(definition, statement, tables, report, collect);
    for (const { unique, collection } of definition.finds.documents) {
      if (unique !== null) ofTable(definition, unique, collection, tables, report, collect);
    }
  }
  return new Map([...found].map(([model, lists]) => [model, [...lists.values()]]));
}

function ofModel(definition: Definition, tables: TableNames, report: Report, collect: Collect): void {
  for (const { key, value } of definition.node.members) {
    if (value?.members.some((member) => member.key === 'unique' && member.value?.scalar === true) === true) {
      collect(definition.name, [key]);
    }
  }
  if (definition.unique === null) return;
  for (const fields of readLists(definition, definition.unique, report)) {
    judgeNames(definition, definition.name, fields, tables, report);
    collect(definition.name, namesOf(fields));
  }
}

function ofStatement(
  definition: Definition,
  { unique, scan, around }: SqlText,
  tables: TableNames,
  report: Report,
  collect: Collect,
): void {
  if (unique === null) return;
  if (WRITES.test(scan.verb) && scan.target !== null) {
    ofTable(definition, unique, scan.target.name, tables, report, collect);
  } else if (scan.verb !== '') {
    const member = around?.members.find(({ value }) => value === unique);
    const changes = around && member ? removeMember(definition.doc, around, member) : [];
    const fix = repair(`remove "${member?.key ?? ''}"`, changes);
    report.add('LNK_UNIQUE_NO_EFFECT', spotOf(definition, unique), {}, fix);
  }
}

function ofTable(
  definition: Definition,
  unique: LocatedNode,
  table: string,
  tables: TableNames,
  report: Report,
  collect: Collect,
): void {
  // The schema of the query has validated the form.
  const lists = readLists(definition, unique, null);
  const model = tables.modelOf(table);
  if (model === undefined) {
    report.add('LNK_UNIQUE_NO_MODEL', spotOf(definition, unique), { name: table });
    return;
  }
  for (const fields of lists) {
    judgeNames(definition, model, fields, tables, report);
    collect(model, namesOf(fields));
  }
}

const spotOf = ({ doc }: Definition, { start, end }: LocatedNode): Spot => ({ doc, start, end });
const namesOf = (fields: readonly LocatedNode[]): string[] => fields.map(({ scalar }) => String(scalar));

/** `["a", ["b", "c"]]`: each entry is a name or a list of names. */
function readLists(definition: Definition, node: LocatedNode, report: Report | null): LocatedNode[][] {
  const wrong = (found: LocatedNode, place: string, expected: string): [] => {
    const params = { place, expected, actual: typeWord(found.type) };
    report?.add('DEF_TYPE', spotOf(definition, found), params);
    return [];
  };
  // The schema of the field validates that the node is a list.
  return node.items.flatMap((entry) => {
    if (entry.type === 'string') return [[entry]];
    if (entry.type !== 'array') return wrong(entry, 'an item of "unique"', 'a name or a list of names');
    if (entry.items.length === 0) report?.add('DEF_EMPTY', spotOf(definition, entry), { place: 'this combination' });
    const names = entry.items.filter(
      (item) => item.type === 'string' || wrong(item, 'an item of a combination', 'a name').length > 0,
    );
    return names.length === 0 ? [] : [names];
  });
}

function judgeNames(
  definition: Definition,
  model: string,
  fields: readonly LocatedNode[],
  tables: TableNames,
  report: Report,
): void {
  const known = tables.fieldsOf(model);
  for (const field of fields) {
    const name = String(field.scalar);
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    report.add('LNK_UNKNOWN_FIELD', spotOf(definition, field), { model, name, hint: hint(near) }, rename(near));
  }
}
