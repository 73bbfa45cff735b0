/** Validates literals against the values, bounds and pattern of their field. The walker validates types. */
import { compileLinearPattern, type LinearPattern } from '../strings/linear-pattern.js';
import type { FieldNode } from '../schema/field-node.js';
import type { LocatedType } from '../source/tree.js';
import { findNearest } from '../source/suggest.js';
import { isMissingPlugin } from './missing-plugins.js';
import type { Registry } from './registry.js';
import { formatHint, createRenameFix, type Report, type SourceLocation } from './report.js';

const WORDS: Readonly<Record<LocatedType, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};
export const formatType = (type: LocatedType): string => WORDS[type];

/** `measure`: bounds apply to the number of items, or to the value itself. */
export function validateScalar(
  report: Report,
  spot: SourceLocation,
  field: FieldNode,
  label: string,
  value: string | number | boolean,
  measure: 'items' | 'value',
): boolean {
  const { values } = field;
  if (values !== null && !values.includes(value)) {
    const near = typeof value === 'string' ? findNearest(value, values.map(String)) : undefined;
    const params = {
      actual: JSON.stringify(value),
      place: label,
      expected: values.map((v) => JSON.stringify(v)).join(', '),
      hint: formatHint(near),
    };
    report.add('DEF_VALUE', spot, params, createRenameFix(near));
    return false;
  }
  if (field.required && value === '') {
    report.add('DEF_EMPTY', spot, { place: label });
    return false;
  }
  if (typeof value === 'boolean') return true;
  return (
    validateBounds(report, spot, field, label, value, measure) && validatePattern(report, spot, field, label, value)
  );
}

function validateBounds(
  report: Report,
  spot: SourceLocation,
  field: FieldNode,
  label: string,
  value: string | number,
  measure: 'items' | 'value',
): boolean {
  const { min, max, length, integer, above, below } = field.bounds;
  if ((min ?? max ?? length ?? integer ?? above ?? below) === undefined) return true;
  const size = typeof value === 'string' ? [...value].length : value;
  const own = field.meta.unit?.replace(/s$/, '') ?? null;
  const unit = measure === 'items' ? 'item' : typeof value === 'string' ? 'character' : own;
  const formatCount = (n: number): string => (unit === null ? `${n}` : `${n} ${unit}${n === 1 ? '' : 's'}`);
  const reportRange = (expected: string, nearestOne?: number): boolean => {
    // The nearest allowed number is valid, but it may not be the intended one.
    const isNumber = typeof value === 'number' && measure === 'value' && nearestOne !== undefined;
    const fix = isNumber
      ? { fix: { title: `change to ${nearestOne}`, text: `${nearestOne}`, asks: true as const } }
      : {};
    report.add('DEF_RANGE', spot, { place: label, expected, actual: formatCount(size) }, fix);
    return false;
  };
  if (integer === true && measure === 'value' && !Number.isInteger(value)) {
    const whole = Math.round(Number(value));
    return reportRange('a whole number', isBetween(whole, field) ? whole : undefined);
  }
  if (length !== undefined && size !== length) return reportRange(`exactly ${formatCount(length)}`);
  if (min !== undefined && size < min) return reportRange(`at least ${formatCount(min)}`, min);
  if (max !== undefined && size > max) return reportRange(`at most ${formatCount(max)}`, max);
  if (above !== undefined && size <= above) return reportRange(`more than ${formatCount(above)}`);
  if (below !== undefined && size >= below) return reportRange(`less than ${formatCount(below)}`);
  return true;
}

const isBetween = (
  n: number,
  { bounds: { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } }: FieldNode,
): boolean => Number.isSafeInteger(n) && n >= min && n <= max && n > above && n < below;

/** Neither patterns nor texts are trusted, so longer texts are not checked. */
const MAX_CHECKED_LENGTH = 10_000;
const forms = new Map<string, LinearPattern>();

export function compilePattern(pattern: string): LinearPattern {
  let form = forms.get(pattern);
  if (form === undefined) {
    if (forms.size >= 1000) forms.clear();
    forms.set(pattern, (form = compileLinearPattern(pattern)));
  }
  return form;
}

/** Returns the value or a correction that matches the pattern; null if there is none. */
export function correctToPattern(field: FieldNode, value: string): string | null {
  const { pattern } = field.bounds;
  if (pattern === undefined) return value;
  const form = compilePattern(pattern);
  if (value.length > MAX_CHECKED_LENGTH) return value;
  if (form.test(value)) return value;
  const example = field.meta.examples?.[0];
  return listSimilarForms(value, typeof example === 'string' ? example : '').find((near) => form.test(near)) ?? null;
}

function validatePattern(
  report: Report,
  spot: SourceLocation,
  field: FieldNode,
  label: string,
  value: string | number,
): boolean {
  const right = correctToPattern(field, String(value)) ?? undefined;
  if (right === String(value)) return true;
  const { pattern } = field.bounds;
  const example = field.meta.examples?.[0];
  const expected =
    right !== undefined
      ? `write ${JSON.stringify(right)}`
      : example === undefined
        ? `it must match ${pattern}`
        : `write it like ${JSON.stringify(example)}`;
  const fix = right === undefined ? {} : { fix: { title: `change to "${right}"`, text: JSON.stringify(right) } };
  report.add('DEF_FORMAT', spot, { place: label, expected }, fix);
  return false;
}

/** Candidate corrections: with the example's accessor prefix, without the own prefix, without list indexes. */
function listSimilarForms(value: string, example: string): string[] {
  const root = /^\$[A-Z]+\./.exec(example)?.[0];
  const bare = value.replace(/^\$?[A-Z]+\.|^\/+|\/+$/g, '');
  if (example.startsWith('/') && !value.startsWith('/')) return [`/${value}`];
  return root === undefined ? [bare, bare.replace(/\[[^\]]*\]|\.\*(?=\.|$)/g, '')] : [root + value, root + bare];
}

export const ABSENT = ' It belongs to the interface; no plugin here provides it.';

/** `write` returns the replacement text, given the name of a plugin. */
export function reportUnknownPlugin(
  { registry, report }: { readonly registry: Registry; readonly report: Report },
  spot: SourceLocation,
  kind: string,
  name: string,
  write: (near: string) => string,
): void {
  if (isMissingPlugin(registry, kind, name)) {
    report.add('DEF_UNKNOWN_PLUGIN', spot, { kind: formatKind(registry, kind), name, hint: ABSENT });
    return;
  }
  const near = findByAlias(registry, kind, name) ?? findNearest(name, registry.names(kind));
  const fix = near === undefined ? {} : { fix: { title: `change to "${near}"`, text: write(near) } };
  const words = near === undefined ? ` Known: ${registry.names(kind).join(', ')}.` : formatHint(near);
  report.add('DEF_UNKNOWN_PLUGIN', spot, { kind: formatKind(registry, kind), name, hint: words }, fix);
}

const findByAlias = (registry: Registry, kind: string, name: string): string | undefined =>
  registry
    .names(kind)
    .find((one) => registry.plugin(kind, one)?.aliases?.some((alias) => alias.toLowerCase() === name.toLowerCase()));

/** For the middle of a sentence: `Field type` becomes `field type`; `SQL dialect` is unchanged. */
export const formatKind = (registry: Registry, kind: string): string =>
  (registry.kind(kind)?.title ?? kind).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
