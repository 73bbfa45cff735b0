/** Filters of document queries with the values of a request in them: the closures that requests run, without a database. */
import { Fault } from '../../contract/fault.js';
import { isObject, type Json } from '../../contract/json.js';
import type { Frame } from '../../contract/plan.js';
import { listAccessors, parseTemplate } from '../../language/strings/accessor.js';
import { compilePath } from '../../language/strings/path.js';
import { createFilterReader } from '../../plugins/queries/mongo/filter.js';
import type { Leaf } from '../../plugins/queries/mongo/template.js';
import { toPlainJson, type FieldTypeLookup } from '../../plugins/queries/mongo/values.js';
import type { Ops, Outcome } from './ops.js';

/** Every accessor reads the payload; text around one converts it to text. */
const compileLeaf: Leaf = (text) => {
  if (listAccessors(text).length === 0) return null;
  const parts = parseTemplate(text).map((part) => (typeof part === 'string' ? part : compilePath([...part.tail])));
  const [only] = parts;
  const field = listAccessors(text)[0]?.tail[0] ?? null;
  if (parts.length === 1 && typeof only === 'function') return { field, read: ({ payload }) => only(payload) };
  const read = ({ payload }: Frame): string =>
    parts.map((part) => (typeof part === 'string' ? part : String(part(payload)))).join('');
  return { field, read };
};

const idsOnly: FieldTypeLookup = (path) => (path === '_id' ? 'id' : null);

export function evaluateFilter(filter: Json, values: unknown): unknown {
  const read = createFilterReader(filter, { leaf: compileLeaf, typesIn: () => idsOnly, typeOf: idsOnly });
  return toPlainJson(read({ payload: values } as unknown as Frame));
}

function compile({ filter, values }: Readonly<Record<string, unknown>>): Outcome {
  try {
    return { ok: true, out: evaluateFilter(isObject(filter) ? filter : {}, values) };
  } catch (error) {
    return { ok: false, error: error instanceof Fault ? error.code : 'refused' };
  }
}

export const ops: Ops = { 'mongo.compile': compile };
