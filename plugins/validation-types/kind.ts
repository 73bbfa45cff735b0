/** Kind `validation-type`: the type of a payload field. A rule compiles to one closure. */
import { boolean } from 'yup';
import type { Issue } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import { shape } from '../../contract/combinators.js';
import { wrapInActionable } from '../shared/examples.light.js';

const REQUIRED = {
  say: 'fields are required unless they say `"optional": true`',
  instead: { true: '', false: '"optional": true' },
};
const createBoundCorrection = (name: string) => ({ say: `the bound is called "${name}"`, rename: name });

/** Adds an issue for each violated rule. Issues must never contain the value. */
export type ValueValidator = (value: unknown, pointer: string, issues: Issue[]) => void;

export type Canonicalizer = (value: unknown) => unknown;

export interface ValidationType {
  compile(rule: Readonly<Record<string, Json>>): ValueValidator;
  /** Converts text where a request can send only text; returns other input unchanged. */
  fromText?(sent: unknown): unknown;
  /** Unchanged values keep their identity. Null: values are used as sent. */
  canonical?(rule: Readonly<Record<string, Json>>): Canonicalizer | null;
  sample(rule: Readonly<Record<string, Json>>): Json;
}

export const validationType = defineKind<ValidationType>({
  kind: 'validation-type',
  title: 'Validation type',
  summary: 'The type of a payload field.',
  slots: ['payload_validation.type'],
  select: { by: 'field', field: 'type' },
  common: shape(
    { optional: boolean().meta({ doc: 'The field may be absent or null.', default: false }) },
    {
      mistaken: {
        required: REQUIRED,
        is_required: REQUIRED,
        mandatory: REQUIRED,
        nullable: { say: 'a field that may be absent or null is `optional`', rename: 'optional' },
        minLength: createBoundCorrection('min_length'),
        maxLength: createBoundCorrection('max_length'),
        minimum: { say: 'the smallest number is `min`', rename: 'min' },
        maximum: { say: 'the largest number is `max`', rename: 'max' },
        max_item_length: { say: 'the longest item is `items_max_length`', rename: 'items_max_length' },
        min_item_length: { say: 'the shortest item is `items_min_length`', rename: 'items_min_length' },
        max_items: { say: 'the length of a list is `arr_length`', rename: 'arr_length' },
        field: { say: 'fields of an object are written in `fields`', rename: 'fields' },
        properties: { say: 'fields of an object are written in `fields`', rename: 'fields' },
      },
    },
  ),
  facts: {
    jsType: { doc: 'JSON type of a valid value.', type: 'string', required: true },
    bounded: { doc: 'Accepts `min_length` and `max_length`.', type: 'boolean', required: true },
  },
  handle: ['compile', 'sample'],
  host: (fragment) => {
    const host = wrapInActionable({ payload_validation: [{ field: { example: fragment } }] });
    return { ...host, at: `${host.at}/payload_validation/0/field/example` };
  },
});
