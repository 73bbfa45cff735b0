/**
 * Maps table names to models: `_user`, `user` and `users` all refer to `_user`. Two names for one model are an error.
 */
import { locateInString } from '../source/escapes.js';
import { findMember, type LocatedNode, type Member } from '../source/tree.js';
import type { Definition } from './model.js';
import { memoize } from './memoize.js';
import type { Report, SourceLocation } from './report.js';
import type { Declaration, DocumentQuery } from './facts.js';
import type { Blocks, Lookups } from './stage-cache.js';

export interface TableNames {
  findModel(table: string): string | undefined;
  getTable(model: string): string;
  /** Includes the timestamps that statements add. */
  listFields(model: string): readonly string[];
  listBlindFields(model: string): readonly string[];
  /** Timestamp columns that statements use and the model does not define. */
  listAddedFields(model: string): readonly string[];
}

export function listAliases(model: string): string[] {
  const bare = model.replace(/^_/, '').toLowerCase();
  const names = [model.toLowerCase(), bare, `${bare}s`, `_${bare}s`, `_${bare}`];
  if (/[^aeiou]y$/.test(bare)) names.push(`${bare.slice(0, -1)}ies`);
  if (/(s|x|z|ch|sh)$/.test(bare)) names.push(`${bare}es`);
  return names;
}

/** The closest name wins: `users` is `_users`, and `_user` only if there is no `_users`. */
export function mapModelsByAlias(models: readonly string[]): Map<string, string> {
  const byAlias = new Map<string, string>();
  const lists = models.map((model) => ({ model, aliases: listAliases(model) }));
  const ranks = Math.max(0, ...lists.map(({ aliases }) => aliases.length));
  for (let rank = 0; rank < ranks; rank++) {
    for (const { model, aliases } of lists) {
      const alias = aliases[rank];
      if (alias !== undefined && !byAlias.has(alias)) byAlias.set(alias, model);
    }
  }
  return byAlias;
}

export function resolveTables(
  definitions: readonly Definition[],
  blocks: Blocks<Definition>,
  report: Report,
): TableNames {
  const exact = new Map<string, Definition>();
  for (const model of definitions.filter((definition) => definition.sort === 'model')) {
    const earlier = exact.get(model.name);
    if (earlier !== undefined) {
      const related = [{ message: `"${model.name}" is defined here first`, spot: earlier.nameSpot }];
      report.add('LNK_DUPLICATE_MODEL', model.nameSpot, { name: model.name }, { related });
      continue;
    }
    exact.set(model.name, model);
  }
  const byAlias = mapModelsByAlias([...exact.keys()]);
  const written = collectUsedNames(blocks, byAlias, listDeclaredTables([...exact.values()], byAlias, report), report);
  // Without the locations, which would keep texts in memory.
  const names = new Map([...written].map(([model, { name }]) => [model, name]));
  const blind = new Map([...exact].map(([name, model]) => [name, listOwnBlindFields(model)]));
  const fields = new Map([...exact].map(([name, model]) => [name, listOwnFields(model)]));
  return {
    findModel: (table) => byAlias.get(table.toLowerCase()),
    getTable: (model) => names.get(model) ?? model,
    listFields: (model) => fields.get(model) ?? [],
    listBlindFields: (model) => blind.get(model) ?? [],
    listAddedFields: () => [],
  };
}

/** A stage depends on its tables and not on the others. */
export const recordTables = ({ readAnswer }: Lookups<TableNames>): TableNames => ({
  findModel: (table) => readAnswer(`model of ${table}`, (from) => from.findModel(table)),
  getTable: (model) => readAnswer(`table of ${model}`, (from) => from.getTable(model)),
  listFields: (model) => readAnswer(`fields of ${model}`, (from) => from.listFields(model)),
  listBlindFields: (model) => readAnswer(`blind fields of ${model}`, (from) => from.listBlindFields(model)),
  listAddedFields: (model) => readAnswer(`added fields of ${model}`, (from) => from.listAddedFields(model)),
});

const listOwnFields = memoize(({ finds }: Definition): readonly string[] => finds.declarations.flatMap(listFieldName));

const listOwnBlindFields = memoize(({ node }: Definition): readonly string[] => node.members.flatMap(listBlindField));

const listBlindField = ({ key, value }: Member): string[] =>
  value !== null && findMember(value, 'blind_index')?.value?.scalar === true ? [key] : [];

const listFieldName = ({ symbol, name }: Declaration): string[] => (symbol === 'model-field' ? [name] : []);

/** By model; statements cannot reach a table that has no name of its model. */
function listDeclaredTables(
  models: readonly Definition[],
  byAlias: ReadonlyMap<string, string>,
  report: Report,
): Map<string, UsedName> {
  const declared = new Map<string, UsedName>();
  for (const { name: model, doc, table } of models) {
    if (table === null) continue;
    const name = String(table.scalar);
    const spot = { doc, start: table.start, end: table.end };
    if (byAlias.get(name.toLowerCase()) === model) declared.set(model, { name, spot });
    else {
      const own = listAliases(model).filter((alias) => byAlias.get(alias) === model);
      const names = [...new Set(own)].map((alias) => JSON.stringify(alias)).join(', ');
      report.add('LNK_TABLE', spot, { model, name, names });
    }
  }
  return declared;
}

function collectUsedNames(
  blocks: Blocks<Definition>,
  byAlias: ReadonlyMap<string, string>,
  declared: ReadonlyMap<string, UsedName>,
  report: Report,
): Map<string, UsedName> {
  const used = new Map(declared);
  for (const block of blocks)
    for (const [name, uses] of groupUsedNames(block)) {
      const model = byAlias.get(name.toLowerCase());
      const [use] = uses;
      if (model === undefined || use === undefined) continue;
      const first = used.get(model);
      if (first === undefined) used.set(model, use);
      else if (first.name !== name) for (const { spot } of uses) reportOtherName({ model, name, spot }, first, report);
    }
  return used;
}

function reportOtherName(
  { model, name, spot }: UsedName & { readonly model: string },
  first: UsedName,
  report: Report,
): void {
  const related = [{ message: `"${first.name}" is used here`, spot: first.spot }];
  const { name: other } = first;
  const written = spot.doc.text.slice(spot.start, spot.end);
  const text = written === name ? other : written === JSON.stringify(name) ? JSON.stringify(other) : null;
  const fix = text === null ? {} : { fix: { title: `change to "${other}"`, text } };
  report.add('LNK_TABLE_NAMES', spot, { model, name, other }, { related, ...fix });
}

interface UsedName {
  readonly name: string;
  readonly spot: SourceLocation;
}

/** By the name as written, in the order of the first use. */
const groupUsedNames = memoize((block: readonly Definition[]): ReadonlyMap<string, readonly UsedName[]> => {
  const groups = new Map<string, UsedName[]>();
  for (const use of block.flatMap(listUsedNames)) {
    const group = groups.get(use.name);
    if (group === undefined) groups.set(use.name, [use]);
    else group.push(use);
  }
  return groups;
});

/** As written. */
const listUsedNames = memoize((definition: Definition): readonly UsedName[] => [
  ...definition.finds.statements.flatMap(({ node, scan }) =>
    scan.tables.map((table) => ({ name: table.name, spot: locateInText(definition, node, table) })),
  ),
  ...definition.finds.documents.flatMap((query) =>
    listCollections(query).map(({ name, node }) => ({
      name,
      spot: { doc: definition.doc, start: node.start, end: node.end },
    })),
  ),
]);

/** The query's own collection first. */
export const listCollections = ({
  node,
  joins,
}: DocumentQuery): { readonly name: string; readonly node: LocatedNode }[] =>
  [node, ...joins].map((found) => ({ name: String(found.scalar), node: found }));

export const locateInText = (
  definition: Definition,
  node: LocatedNode,
  at: { readonly start: number; readonly end: number },
): SourceLocation => locateInString(definition.doc, node, at);

export const listModels = memoize((block: readonly Definition[]) => block.filter(({ sort }) => sort === 'model'));

/** Models, and definitions that refer to models and their fields outside of SQL. */
export const listNaming = memoize((block: readonly Definition[]) =>
  block.filter(
    ({ sort, finds: { documents, statements, references } }) =>
      sort === 'model' ||
      documents.length > 0 ||
      statements.some(({ unique }) => unique !== null) ||
      references.some(({ refers: { symbol } }) => symbol === 'model' || symbol === 'model-field'),
  ),
);
