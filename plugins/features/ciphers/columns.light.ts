/** Statements that use an encrypted field wrongly: columns that cannot hold it, and comparisons that never match. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { listDocumentFields } from '../../../language/strings/document-fields.js';
import { DOCUMENT_FORM } from '../../queries/mongo/form.light.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { parseCipherEntries, toJsonObjects, type CheckedEntry } from './entries.light.js';

/** Version and tag, and the quotes of JSON text. */
const AROUND = 1 + 16;
const QUOTES = 2;

interface FieldUse {
  /** Lower case. */
  readonly column: string;
  readonly written: boolean;
}

export function checkCipherColumns(entry: CheckedEntry, place: CheckPlace): Finding[] {
  if (!entry.encrypts) return [];
  const { holder, root, actions } = place;
  const index = toJsonObjects(root['actionables']).findIndex(({ id }) => id === holder['id']);
  const { fields, uniques } = actions.find((action) => action.index === index) ?? {};
  return entry.properties.flatMap((property, i) => {
    const at = `${entry.at}/properties/${i}`;
    const uses = Object.values(holder).flatMap((part) => (isObject(part) ? findUses(part, property) : []));
    const sought = uses.find(({ written, column }) => !written && fields?.get(column)?.['blind_index'] !== true);
    const inVain =
      sought === undefined
        ? []
        : [
            {
              ...createComparedFinding(at, property, 'no row is ever found by it'),
              ...suggestBlindIndex(sought.column, fields?.get(sought.column)),
            },
          ];
    const written = uses
      .filter((use) => use.written)
      .flatMap(({ column }) => {
        const field = fields?.get(column);
        if (field === undefined) return [];
        const asked = uniques?.has(column) === true ? { ...field, unique: true } : field;
        return checkField(entry, property, at, column, asked, place);
      });
    return [...inVain, ...written].filter((one, n, all) => all.findIndex(({ code }) => code === one.code) === n);
  });
}

/** By name or as an accessor. */
function findUses(part: JsonObject, property: string): FieldUse[] {
  const { query, parameters } = part;
  if (part['collection'] !== undefined)
    return listDocumentFields(part, DOCUMENT_FORM).flatMap(({ path, value, written }) =>
      isField(asText(value), property) ? [{ column: path.toLowerCase(), written }] : [],
    );
  if (typeof query !== 'string' || !Array.isArray(parameters)) return [];
  const { verb, placeholders, text, tokens } = scanSql(query);
  const where = tokens.find(({ start, end }) => text.slice(start, end).toUpperCase() === 'WHERE')?.start ?? Infinity;
  const values = parameters as readonly Json[];
  return placeholders.flatMap(({ n, column, start }) => {
    const value = asText(values[n - 1]);
    if (!isField(value, property) || column === null) return [];
    return [{ column: column.toLowerCase(), written: (verb === 'INSERT' || verb === 'UPDATE') && start < where }];
  });
}

const isField = (text: string, property: string): boolean =>
  text === property || listAccessors(text).some(({ tail }) => tail.join('.') === property);

function checkField(
  entry: CheckedEntry,
  property: string,
  at: string,
  column: string,
  field: JsonObject,
  { facts, holder }: CheckPlace,
): Finding[] {
  const type = asText(field['type']);
  const sort = facts('field-type', type)?.column;
  if (sort !== undefined && sort !== 'text' && sort !== 'json') {
    return [{ code: 'CPH_COLUMN', at, params: { column, type } }];
  }
  const found: Finding[] = [];
  const isIndexed = field['blind_index'] === true;
  const must = (field['unique'] === true && !isIndexed) || field['primary_key'] === true;
  const isKey = field['primary_key'] === true;
  if (must)
    found.push({
      code: 'CPH_UNIQUE',
      at,
      params: { property, column },
      ...(!isKey && suggestBlindIndex(column, field)),
    });
  else if ((field['indexable'] === true && !isIndexed) || field['fts'] === true) {
    const what = `the index on "${column}" finds nothing`;
    found.push({
      ...createComparedFinding(at, property, what),
      ...(field['fts'] !== true && suggestBlindIndex(column, field)),
    });
  }
  const max = field['max_length'];
  const least = computeCiphertextLength(entry, getMaxLength(property, holder), facts);
  if (typeof max === 'number' && least !== null && least > max) {
    const letters = getMaxLength(property, holder);
    const what = letters === 0 ? 'the empty text' : `${letters} letters`;
    found.push({ code: 'CPH_SHORT', at, params: { column, max, length: least, what } });
  }
  return found;
}

/** A blind index makes an encrypted column unique and searchable. */
function suggestBlindIndex(column: string, field: JsonObject | undefined): Pick<Finding, 'fix'> {
  if (field?.['type'] !== 'String') return {};
  const title = `add \`"blind_index": true\` to "${column}" of the model`;
  return { fix: { title, edits: [{ at: '/blind_index', put: true }], modelField: column, asks: true } };
}

const createComparedFinding = (at: string, property: string, what: string): Finding => ({
  code: 'CPH_COMPARED',
  at,
  params: { property, what },
});

/** The largest `max_length` of the rules; 0 where they set none. */
function getMaxLength(property: string, holder: Readonly<Record<string, Json>>): number {
  const bounds = toJsonObjects(holder['payload_validation']).flatMap((rule) => {
    const types = rule['field'];
    const type = isObject(types) && Object.hasOwn(types, property) ? types[property] : undefined;
    const bound = isObject(type) ? (type['max_length'] ?? rule['max_length']) : undefined;
    return typeof bound === 'number' ? [bound] : [];
  });
  return Math.max(0, ...bounds);
}

/** In characters, for `letters` one-byte characters. */
function computeCiphertextLength(
  { algorithm, options }: CheckedEntry,
  letters: number,
  facts: CheckPlace['facts'],
): number | null {
  const nonce = facts('cipher', algorithm)?.nonceBytes;
  const encoding = facts('encoding', asText(options['encoding'] ?? 'Base64'))?.characters;
  if (typeof nonce !== 'number' || typeof encoding !== 'number') return null;
  return Math.ceil((AROUND + nonce + QUOTES + letters) * encoding);
}

/** Actionables that certainly run before: not with `depends_on` or `no_op`. */
export function checkEarlierWrites(
  { encrypts, properties, at }: CheckedEntry,
  { holder, root }: CheckPlace,
): Finding[] {
  if (!encrypts) return [];
  const list = toJsonObjects(root['actionables']);
  const own = list.findIndex((action) => action['id'] === holder['id']);
  const before = list
    .slice(0, Math.max(own, 0))
    .filter((action) => action['no_op'] !== true && action['depends_on'] === undefined);
  return properties.flatMap((property, i) => {
    const place = `${at}/properties/${i}`;
    const sealed = before.find((action) =>
      parseCipherEntries(action).some((entry) => entry.encrypts && entry.properties.includes(property)),
    );
    if (sealed !== undefined) {
      return [{ code: 'CPH_AGAIN', at: place, params: { action: Number(sealed['id']), property } }];
    }
    return before
      .filter((action) => Object.values(action).some((part) => isObject(part) && writesRaw(part, property)))
      .map((action) => ({ code: 'CPH_RAW_BEFORE', at: place, params: { action: Number(action['id']), property } }));
  });
}

const writesRaw = (part: JsonObject, property: string): boolean =>
  findUses(part, property).some(({ written }) => written);
