/**
 * Reports a value of the wrong JSON type, with an evident correction: a quoted number, a size with its unit, an item
 * without its list.
 */
import type { FieldNode } from '../schema/field-node.js';
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import { formatType } from './validate-node.js';
import type { Report } from './report.js';

/** The longest correction in a message, in characters. */
const SHOWN = 60;

const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  bytes: {
    b: 1,
    kb: 1024,
    kib: 1024,
    k: 1024,
    mb: 1024 ** 2,
    mib: 1024 ** 2,
    m: 1024 ** 2,
    gb: 1024 ** 3,
    gib: 1024 ** 3,
  },
  seconds: { ms: 0.001, s: 1, sec: 1, m: 60, min: 60, h: 3600, hr: 3600, d: 86_400, day: 86_400, w: 604_800 },
};

/** Reads `"5"`, and for fields with a unit also `"10MB"` or `"1h"`. */
function parseNumber(text: string, unit: string | undefined): number | null {
  const [, digits, suffix] = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (digits === undefined || suffix === undefined) return null;
  if (suffix === '') return Number(digits);
  const factors = FACTORS[unit ?? ''] ?? {};
  const word = suffix.toLowerCase();
  const name = [word, word.replace(/(ond|ute|our)?s$/, ''), word.replace(/(ond|ute|our)$/, '')].find((one) =>
    Object.hasOwn(factors, one),
  );
  return name === undefined ? null : Number(digits) * (factors[name] ?? 1);
}

const SWITCHES: ReadonlyMap<string, string> = new Map(
  Object.entries({ true: 'true', yes: 'true', on: 'true', false: 'false', no: 'false', off: 'false' }),
);
/** Names separated by commas. */
const LISTED = /^\s*[\w.-]+(\s*,\s*[\w.-]+)+\s*$/;

/** The JSON text of the correction; null if there is none. */
function convertValue(doc: Document, node: LocatedNode, type: LocatedNode['type'], field: FieldNode): string | null {
  const text = node.type === 'string' ? String(node.scalar) : null;
  if (type === 'number' && text !== null) return parseNumber(text, field.meta.unit)?.toString() ?? null;
  if (type === 'boolean' && text !== null) return SWITCHES.get(text.toLowerCase()) ?? null;
  if (type === 'array' && text !== null && field.inner?.type === 'string' && LISTED.test(text))
    return `[${text
      .split(',')
      .map((item) => JSON.stringify(item.trim()))
      .join(', ')}]`;
  if (type === 'array' && field.inner !== null) {
    const fits = field.inner.type === node.type || (/^(value|either)$/.test(field.inner.type) && text !== null);
    return fits ? `[${doc.text.slice(node.start, node.end)}]` : null;
  }
  return type === 'object' ? wrapInObject(doc, node, field) : null;
}

/** Corrects a list with a single item, or the short form of the object. */
function wrapInObject(doc: Document, node: LocatedNode, { fields, meta: { form, short } }: FieldNode): string | null {
  const [only, other] = node.items;
  const first = /^\{"(\w+)"/.exec(form ?? '')?.[1];
  const isMeant = only?.members.some(({ key }) => key === first || Object.hasOwn(fields, key)) === true;
  if (isMeant && other === undefined) return doc.text.slice(only.start, only.end);
  if (node.type !== 'string' && node.type !== 'number' && node.type !== 'boolean') return null;
  const name = node.scalar === false ? undefined : short?.[node.type];
  if (name === undefined) return null;
  return name === '{}' ? name : `{${JSON.stringify(name)}: ${doc.text.slice(node.start, node.end)}}`;
}

/** The JSON text of `node` for another field; null if it does not fit. */
export function convertToField(doc: Document, node: LocatedNode, field: FieldNode): string | null {
  const type = field.type === 'record' ? 'object' : field.type;
  if (type === node.type || type === 'value' || type === 'either' || type === 'any')
    return doc.text.slice(node.start, node.end);
  return convertValue(doc, node, type, field);
}

export function reportWrongType(
  report: Report,
  doc: Document,
  node: LocatedNode,
  type: LocatedNode['type'],
  field: FieldNode,
  label: string,
): void {
  const right = convertValue(doc, node, type, field);
  const { form } = field.meta;
  const hint =
    right !== null && (form === undefined || node.type !== 'object')
      ? right.length <= SHOWN
        ? ` Write ${right}.`
        : type === 'array'
          ? ' Put it into brackets: [...].'
          : ' Take it out of the brackets.'
      : form !== undefined
        ? ` Write it like ${form}.`
        : '';
  const fix =
    right === null
      ? {}
      : {
          fix: {
            title: `change to ${right.length <= SHOWN ? right : type === 'array' ? '[...]' : '{...}'}`,
            text: right,
          },
        };
  const params = { place: label, expected: formatType(type), actual: formatType(node.type), hint };
  report.add('DEF_TYPE', { doc, start: node.start, end: node.end }, params, fix);
}
