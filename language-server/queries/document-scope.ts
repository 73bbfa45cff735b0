/**
 * Computes the field names of documents at the cursor, as changed by the preceding stages. Returns none after a stage with an
 * unknown result.
 */
import type { DataModel } from '../../language/analysis/model.js';
import { isObject } from '../../contract/json.js';
import { applyNameFlow } from '../../contract/name-flow.js';
import type { MemberNames, NamePlace } from '../../contract/field-meta.js';
import { findMember, toJson, type LocatedNode } from '../../language/source/tree.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { resolveNextPlace } from './documents.js';
import type { DocumentQueryContext } from './query-context.js';
import { listColumns, getTables, type Column, type Tables } from './tables.js';

/** Origin of a name: a model field or a stage. */
export type Meaning =
  | { readonly column: Column }
  | {
      /** E.g. `$group`. */
      readonly stage: string;
      /** The stage's value. */
      readonly operand: LocatedNode;
      /** The joined model, if the name contains joined documents. */
      readonly model: DataModel | undefined;
    };

export type DocumentNames = ReadonlyMap<string, Meaning>;

const NONE: DocumentNames = new Map();

export function documentNamesAt(
  view: DocumentContext,
  { levels }: CursorContext,
  query: DocumentQueryContext,
): DocumentNames {
  const tables = getTables(view);
  const members = levels[query.depth + 1]?.field?.meta.members;
  let names = toDocumentNames(tables.findModel(query.collection));
  let place = members?.start ?? '';
  for (const [i, { key }] of levels.entries()) {
    if (members === undefined || i < query.depth + 2 || key === null) continue;
    const here = members.places[place];
    const around = levels[i - 1]?.node ?? null;
    if (typeof key === 'number') {
      if (here?.flows !== undefined)
        names = applyStages(tables, members, here, names, around?.items.slice(0, key) ?? []);
      continue;
    }
    const other = here?.elsewhere;
    if (other?.about.includes(key) === true) names = toDocumentNames(findJoinedModel(tables, here, around));
    place = resolveNextPlace(members, place, key);
  }
  return names;
}

const toDocumentNames = (model: DataModel | undefined): DocumentNames =>
  new Map(model === undefined ? [] : listColumns(model).map((column) => [column.name, { column }]));

function applyStages(
  tables: Tables,
  { places }: MemberNames,
  { flows, behind: next }: NamePlace,
  before: DocumentNames,
  stages: readonly LocatedNode[],
): DocumentNames {
  let names = before;
  for (const { members } of stages) {
    const [member] = members;
    if (!member?.value) return NONE;
    const { key: stage, value: operand } = member;
    const flow = flows?.[stage];
    const model = flow === 'joins' ? findJoinedModel(tables, places[next?.[stage] ?? ''], operand) : undefined;
    const createMeaning = (name: string): Meaning => {
      // An element of a list has the same meaning as the list.
      const known = flow === 'unwinds' ? names.get(name) : undefined;
      return known ?? { stage, operand, model };
    };
    names = applyNameFlow(flow, names, toJson(operand), createMeaning) ?? NONE;
  }
  return names;
}

function findJoinedModel(
  tables: Tables,
  place: NamePlace | undefined,
  node: LocatedNode | null,
): DataModel | undefined {
  const member = place?.elsewhere?.named;
  const named = node === null || member === undefined ? undefined : findMember(node, member)?.value?.scalar;
  return typeof named === 'string' ? tables.findModel(named) : undefined;
}

/** A name or nested path with its origin. */
export interface DocumentPath {
  readonly path: string;
  readonly meaning: Meaning;
}

/** All known paths, top-level names first. */
export function listDocumentPaths(names: DocumentNames): DocumentPath[] {
  const own = [...names].map(([path, meaning]): DocumentPath => ({ path, meaning }));
  return [...own, ...own.flatMap(listNestedPaths)];
}

/** Paths into a nested object of the model or into joined documents. */
function listNestedPaths({ path, meaning }: DocumentPath): DocumentPath[] {
  if ('stage' in meaning) {
    const columns = meaning.model === undefined ? [] : listColumns(meaning.model);
    return columns.map((column) => ({ path: `${path}.${column.name}`, meaning: { column } }));
  }
  const { model, field } = meaning.column;
  const properties = field?.['properties'];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const inner = {
      path: `${path}.${name}`,
      meaning: {
        column: { name, model, field: isObject(value) ? value : null, path: appendSegment(meaning.column, name) },
      },
    };
    return [inner, ...listNestedPaths(inner)];
  });
}

const appendSegment = ({ name, path = [name] }: Column, next: string): readonly string[] => [...path, next];

/** The origin of the path, or of its first segment. */
export const findMeaning = (names: DocumentNames, path: string): Meaning | undefined =>
  listDocumentPaths(names).find((one) => one.path === path)?.meaning ?? names.get(path.split('.')[0] ?? path);
