/** Finds the document fields that an object query writes and compares. */
import type { DocumentForm } from '../../contract/document-form.js';
import { asText, escapePointer, isObject, type Json, type JsonObject } from '../../contract/json.js';
import { listAccessors } from './accessor.js';

export interface DocumentField {
  /** Without operators and array indexes. */
  readonly path: string;
  readonly value: Json;
  /** JSON pointer of the value in the query. */
  readonly at: string;
  readonly written: boolean;
  /** The field itself is set to or compared with the value, not an item or property. */
  readonly whole: boolean;
  /** The value is a list, and the field itself is compared with its items. */
  readonly items: boolean;
  /** An earlier stage of the pipeline may have given the name to another value. */
  readonly reshaped: boolean;
}

type Part = 'whole' | 'items' | 'other';

/** What the values below a key are to the field. */
function getPart({ operators, listOperators }: DocumentForm, around: Part, key: string): Part {
  if (around !== 'whole' || !key.startsWith('$') || operators.includes(key)) return around;
  return listOperators.includes(key) ? 'items' : 'other';
}

const getItemPart = (around: Part, path: string): Part =>
  around === 'items' || (around === 'whole' && path === '') ? 'whole' : 'other';

export function listDocumentFields(query: JsonObject, form: DocumentForm): DocumentField[] {
  const parameters = Array.isArray(query['parameters']) ? (query['parameters'] as readonly Json[]) : [];
  const collectFields = (
    json: Json | undefined,
    at: string,
    path: string,
    written: boolean,
    part: Part = 'whole',
  ): DocumentField[] => {
    if (json === undefined) return [];
    const children: readonly (readonly [string, Json])[] = Array.isArray(json)
      ? (json as readonly Json[]).map((item, i) => [String(i), item] as const)
      : isObject(json)
        ? Object.entries(json)
        : [];
    if (children.length > 0)
      return children.flatMap(([key, value]) =>
        collectFields(
          value,
          `${at}/${escapePointer(key)}`,
          Array.isArray(json) ? path : joinPath(path, key),
          written,
          Array.isArray(json) ? getItemPart(part, path) : getPart(form, part, key),
        ),
      );
    const n = Number(/^\$(\d{1,5})$/.exec(asText(json))?.[1] ?? 0) - 1;
    const value = parameters[n];
    if (path === '') return [];
    const is = { written, whole: part === 'whole', items: part === 'items', reshaped: false };
    return [value === undefined ? { path, value: json, at, ...is } : { path, value, at: `/parameters/${n}`, ...is }];
  };
  const action = asText(query['action']);
  const name = form.written[action];
  const bare =
    name !== undefined && action === form.bare && query[name] === undefined
      ? parameters.map((value, i) => ({
          path: toFieldName(value),
          value,
          at: `/parameters/${i}`,
          written: true,
          whole: true,
          items: false,
          reshaped: false,
        }))
      : [];
  const stages = Array.isArray(query[form.stages]) ? (query[form.stages] as readonly Json[]) : [];
  const changing = stages.findIndex(
    (stage) => !isObject(stage) || !Object.keys(stage).every((key) => form.keeping.includes(key)),
  );
  return [
    ...bare,
    ...(name === undefined ? [] : collectFields(query[name], `/${name}`, '', true)),
    ...collectFields(query[form.condition], `/${form.condition}`, '', false),
    ...stages.flatMap((stage, i) => {
      const place = `/${form.stages}/${i}/${form.match}`;
      const fields = isObject(stage) ? collectFields(stage[form.match], place, '', false) : [];
      return changing === -1 || i < changing ? fields : fields.map((field) => ({ ...field, reshaped: true }));
    }),
  ];
}

/** The field of an accessor is its last segment. */
function toFieldName(value: Json): string {
  const text = asText(value);
  return listAccessors(text)[0]?.tail.at(-1) ?? text;
}

/** Turns `items.$[item].pin` into `items.pin`. */
function joinPath(path: string, key: string): string {
  const named = key.startsWith('$') ? [] : key.split('.').filter((one) => !/^(?:\d+|\$.*)$/.test(one));
  return [path, ...named].filter((one) => one !== '').join('.');
}
