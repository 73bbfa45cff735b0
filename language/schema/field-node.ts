/** A schema as plain data, for checking, completion, export and documentation. */
import type { FieldMeta } from '../../contract/field-meta.js';

export type FieldType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'record' | 'value' | 'either' | 'any';

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** Exclusive bounds. */
  readonly above?: number;
  readonly below?: number;
  readonly length?: number;
  readonly integer?: true;
  /** Source of a regular expression that the text must match. */
  readonly pattern?: string;
}

export interface FieldNode {
  readonly type: FieldType;
  readonly meta: Omit<FieldMeta, 'inner' | 'options' | 'shape' | 'parts'>;
  readonly required: boolean;
  readonly nullable: boolean;
  /** The permitted literals, or null. */
  readonly values: readonly (string | number | boolean)[] | null;
  readonly bounds: Bounds;
  /** Own fields of an object, in declaration order. */
  readonly fields: Readonly<Record<string, FieldNode>>;
  /** Slots with plugins that add fields to this object. */
  readonly parts: readonly string[];
  /** Item, entry or literal; null if any JSON is valid. */
  readonly inner: FieldNode | null;
  /** The forms of an `either`, each of a different JSON type. */
  readonly options: readonly FieldNode[];
}

const NO_FIELDS: Readonly<Record<string, FieldNode>> = Object.freeze(Object.create(null) as Record<string, FieldNode>);

export const EMPTY_OBJECT: FieldNode = Object.freeze({
  type: 'object',
  meta: { doc: '' },
  required: false,
  nullable: false,
  values: null,
  bounds: {},
  fields: NO_FIELDS,
  parts: [],
  inner: null,
  options: [],
});
