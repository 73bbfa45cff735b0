/** Test files: groups of cases with their places. */
import { asText, isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Range } from '../../contract/problem.js';
import type { Definition } from '../../language/analysis/model.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { toJson, type LocatedNode } from '../../language/source/tree.js';

export interface TestGroup {
  readonly id: string;
  readonly file: string;
  readonly cases: readonly TestCase[];
}

export interface TestCase {
  readonly id: string;
  readonly group: string;
  readonly definition: Definition;
  /** JSON pointer in the definition. */
  readonly at: string;
  /** That of the group, overridden by that of the case. */
  readonly given: JsonObject;
  readonly steps: readonly JsonObject[];
  readonly expect: JsonObject;
}

export const asObject = (json: Json | undefined): JsonObject => (isObject(json) ? json : {});
export const asObjects = (json: Json | undefined): JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).map(asObject) : [];

export function readGroup(definition: Definition): TestGroup {
  const json = asObject(toJson(definition.node));
  const group = asText(json['id']);
  const given = asObject(json['given']);
  const cases = asObjects(json['cases']).map((one, at): TestCase => ({
    id: asText(one['id']),
    group,
    definition,
    at: `/cases/${at}`,
    given: mergeGiven(given, asObject(one['given'])),
    steps: asObjects(one['steps']),
    expect: asObject(one['expect']),
  }));
  return { id: group, file: definition.doc.file, cases };
}

/** Rows of one table are added, values too; other fields are replaced. */
function mergeGiven(group: JsonObject, own: JsonObject): JsonObject {
  const tables = { ...asObject(group['tables']) };
  for (const [name, rows] of Object.entries(asObject(own['tables'])))
    tables[name] = [...((tables[name] as readonly Json[] | undefined) ?? []), ...(rows as readonly Json[])];
  return { ...group, ...own, tables, values: { ...asObject(group['values']), ...asObject(own['values']) } };
}

/** The place of a JSON pointer, or of the nearest value around it. */
export function locatePointer(
  { doc, node }: Definition,
  pointer: string,
): { readonly doc: Document; readonly range: Range } {
  let at: LocatedNode = node;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = at.type === 'array' ? at.items[Number(key)] : at.members.find((member) => member.key === key)?.value;
    if (next === undefined || next === null) break;
    at = next;
  }
  return { doc, range: rangeAt(doc, at.start, at.end) };
}
