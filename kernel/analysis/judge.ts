/** Judges one literal against the facts of its field: allowed values, bounds, form. Types are judged by the walker. */
import type { FieldNode } from '../schema/field-node.js';
import type { LocatedType } from '../source/tree.js';
import { nearest } from '../source/suggest.js';
import { hint, type Report, type Spot } from './report.js';

const WORDS: Readonly<Record<LocatedType, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};
export const typeWord = (type: LocatedType): string => WORDS[type];

/** True when the value fits. `measure` says what bounds count: the items of an array, or the value itself. */
export function judgeScalar(
  report: Report,
  spot: Spot,
  field: FieldNode,
  label: string,
  value: string | number | boolean,
  measure: 'items' | 'value',
): boolean {
  const { values } = field;
  if (values !== null && !values.includes(value)) {
    const near = typeof value === 'string' ? nearest(value, values.map(String)) : undefined;
    const params = {
      actual: JSON.stringify(value),
      place: label,
      expected: values.map((v) => JSON.stringify(v)).join(', '),
      hint: hint(near),
    };
    const fix = near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };
    report.add('DEF_VALUE', spot, params, fix);
    return false;
  }
  if (field.required && value === '') {
    report.add('DEF_EMPTY', spot, { place: label });
    return false;
  }
  if (typeof value === 'boolean') return true;
  return judgeBounds(report, spot, field, label, value, measure) && judgeForm(report, spot, field, label, value);
}

function judgeBounds(
  report: Report,
  spot: Spot,
  field: FieldNode,
  label: string,
  value: string | number,
  measure: 'items' | 'value',
): boolean {
  const { min, max, length, integer } = field.bounds;
  const size = typeof value === 'string' ? [...value].length : value;
  const unit = measure === 'items' ? ' items' : typeof value === 'string' ? ' characters' : '';
  const refuse = (expected: string): boolean => {
    report.add('DEF_RANGE', spot, { place: label, expected, actual: `${size}${unit}` });
    return false;
  };
  if (integer === true && measure === 'value' && !Number.isInteger(value)) return refuse('a whole number');
  if (length !== undefined && size !== length) return refuse(`exactly ${length}${unit}`);
  if (min !== undefined && size < min) return refuse(`at least ${min}${unit}`);
  if (max !== undefined && size > max) return refuse(`at most ${max}${unit}`);
  return true;
}

function judgeForm(report: Report, spot: Spot, field: FieldNode, label: string, value: string | number): boolean {
  const { pattern } = field.bounds;
  if (pattern === undefined || new RegExp(pattern).test(String(value))) return true;
  const example = field.meta.examples?.[0];
  const expected = example === undefined ? `it must match ${pattern}` : `write it like ${JSON.stringify(example)}`;
  report.add('DEF_FORMAT', spot, { place: label, expected });
  return false;
}
