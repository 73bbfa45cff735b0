/** Compiles rules for the fields of one object. Pointers are relative to it; the caller prefixes its own. */
import type { Issue } from '../../../contract/problem.js';
import { asText, escapePointer, isObject, type Json } from '../../../contract/json.js';
import type { Canonicalizer, ValueValidator, ValidationType } from '../kind.js';

export type Rule = Readonly<Record<string, Json>>;
export type ValidationTypeLookup = (name: string) => ValidationType;

/** A bound, so that a hostile client cannot make validation expensive. */
export const MAX_ISSUES = 50;
/** Longer client-supplied names are not repeated in the response. */
const MAX_NAME = 100;

export interface FieldRule {
  readonly name: string;
  readonly pointer: string;
  readonly optional: boolean;
  readonly validate: ValueValidator;
  readonly canonical: Canonicalizer | null;
  readonly type: ValidationType;
  readonly rule: Rule;
}

export const toRule = (json: Json | undefined): Rule => (isObject(json) ? json : {});

/** Bounds around fields apply to each field without its own. */
export function pickBounds({ min_length, max_length }: Rule): Rule {
  return {
    ...(min_length !== undefined && { min_length }),
    ...(max_length !== undefined && { max_length }),
  };
}

export function compileFields(fields: Json | undefined, bounds: Rule, typeOf: ValidationTypeLookup): FieldRule[] {
  return Object.entries(toRule(fields)).map(([name, own]) => {
    const rule = { ...bounds, ...toRule(own) };
    const type = typeOf(asText(rule['type']));
    const optional = rule['optional'] === true;
    const canonical = type.canonical?.(rule) ?? null;
    return { name, pointer: `/${escapePointer(name)}`, optional, validate: type.compile(rule), canonical, type, rule };
  });
}

export type ObjectValidator = (object: Readonly<Record<string, unknown>>, issues: Issue[]) => void;

/** On a copy; values other than objects are unchanged. Null without a canonical form. */
export function createFieldsCanonicalizer(fields: readonly FieldRule[]): Canonicalizer | null {
  const changed = fields.flatMap(({ name, canonical }) => (canonical === null ? [] : [{ name, canonical }]));
  if (changed.length === 0) return null;
  return (object) => {
    if (!isObject(object)) return object;
    let copy: Record<string, unknown> | null = null;
    for (const { name, canonical } of changed) {
      if (!Object.hasOwn(object, name)) continue;
      const value = canonical(object[name]);
      if (value === object[name]) continue;
      // Without a prototype, field names such as `__proto__` are ordinary properties.
      copy ??= Object.assign(Object.create(null) as Record<string, unknown>, object);
      copy[name] = value;
    }
    return copy ?? object;
  };
}

export const createItemsCanonicalizer = (change: Canonicalizer | null): Canonicalizer | null =>
  change &&
  ((list) => {
    if (!Array.isArray(list)) return list;
    const items: readonly unknown[] = list;
    const next = items.map(change);
    return next.every((item, index) => item === items[index]) ? items : next;
  });

/** `closed`: rejects fields without a rule. */
export function createFieldsValidator(fields: readonly FieldRule[], closed = false): ObjectValidator {
  const known = new Set(fields.map(({ name }) => name));
  return (object, issues) => {
    for (const { name, pointer, optional, validate } of fields) {
      if (issues.length >= MAX_ISSUES) return;
      const value = Object.hasOwn(object, name) ? object[name] : undefined;
      if (value !== undefined && value !== null) validate(value, pointer, issues);
      else if (!optional) issues.push({ pointer, code: 'required', detail: 'is required' });
    }
    if (closed) rejectUnknown(object, known, issues);
  };
}

function rejectUnknown(object: object, known: ReadonlySet<string>, issues: Issue[]): void {
  for (const name of Object.keys(object)) {
    if (issues.length >= MAX_ISSUES) return;
    if (known.has(name)) continue;
    const pointer = name.length > MAX_NAME ? '' : `/${escapePointer(name)}`;
    issues.push({ pointer, code: 'unknown', detail: 'is not an allowed field' });
  }
}

/** Prefixes the issues since `start` with `pointer`. */
export function prefixPointers(issues: Issue[], start: number, pointer: string): void {
  for (let i = start; i < issues.length; i++) {
    const issue = issues[i];
    if (issue !== undefined) issues[i] = { ...issue, pointer: pointer + issue.pointer };
  }
}

export function createItemsValidator(
  validate: ObjectValidator,
): (items: readonly unknown[], pointer: string, issues: Issue[]) => void {
  return (items, pointer, issues) => {
    for (let i = 0; i < items.length && issues.length < MAX_ISSUES; i++) {
      const item = items[i];
      const start = issues.length;
      if (isObject(item)) validate(item, issues);
      else issues.push({ pointer: '', code: 'type', detail: 'must be an object' });
      if (issues.length > start) prefixPointers(issues, start, `${pointer}/${i}`);
    }
  };
}

export function sampleFields(fields: readonly FieldRule[]): Record<string, Json> {
  const needed = fields.filter(({ optional }) => !optional);
  return Object.fromEntries(needed.map(({ name, type, rule }) => [name, type.sample(rule)]));
}
