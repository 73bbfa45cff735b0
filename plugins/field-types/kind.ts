/** Kind `field-type`: the type of a model field, which each store maps to its own. */
import { boolean } from 'yup';
import { defineKind } from '../../contract/kind.js';
import { Slot } from '../../contract/slot.js';
import { shape, text } from '../../contract/combinators.js';

const createRename = (name: string) => ({ say: `the field is called "${name}"`, rename: name });
const REQUIRED = {
  say: 'fields are required unless they have `"optional": true`',
  instead: { true: '', false: '"optional": true' },
};
const REFERENCE = {
  say: 'another model is referred to by `"foreign_key": {"of": "_user", "key": "id"}`',
  rename: 'foreign_key',
};
const OF = { say: 'the other model is `"of"`', rename: 'of' };
const OF_FIELD = { say: 'the field of the other model is `"key"`', rename: 'key' };
const DEFAULT = {
  say: 'a value that is not sent is written in the INSERT, `COALESCE($1, 0)`; models have no defaults',
  instead: { '*': '' },
};
const MISTAKEN = {
  required: REQUIRED,
  not_null: REQUIRED,
  nullable: createRename('optional'),
  null: createRename('optional'),
  primary: createRename('primary_key'),
  primaryKey: createRename('primary_key'),
  index: createRename('indexable'),
  indexed: createRename('indexable'),
  autoincrement: createRename('auto_increment'),
  length: createRename('max_length'),
  references: REFERENCE,
  reference: REFERENCE,
  ref: REFERENCE,
  default: DEFAULT,
  default_value: DEFAULT,
  items: createRename('property_type'),
  item_type: createRename('property_type'),
  fields: createRename('properties'),
};

export const fieldType = defineKind<object>({
  kind: 'field-type',
  title: 'Field type',
  summary: 'The type of a model field.',
  slots: [Slot.MODEL_FIELD],
  select: { by: 'field', field: 'type' },
  common: shape(
    {
      primary_key: boolean().meta({ doc: 'The field is the primary key.', default: false }),
      optional: boolean().meta({
        doc: 'The field may be absent or null; fields are required by default.',
        default: false,
      }),
      indexable: boolean().meta({ doc: 'Adds an index.', default: false }),
      unique: boolean().meta({ doc: 'No two rows may have the same value.', default: false }),
      secret: boolean().meta({ doc: 'Never returned unless `returnables` names it.', default: false }),
      foreign_key: shape({
        of: text({
          doc: 'Model that this field refers to.',
          refers: { symbol: 'model' },
          examples: ['_user'],
        }).required(),
        key: text({
          doc: 'Field of that model.',
          refers: { symbol: 'model-field', within: 'of' },
          examples: ['id'],
        }).required(),
      }).meta({
        doc: 'The value must exist in a row of another model.',
        mistaken: { table: OF, model: OF, to: OF, references: OF, field: OF_FIELD, column: OF_FIELD },
      }),
    },
    { mistaken: MISTAKEN },
  ),
  facts: {
    column: {
      doc: 'Column type, independent of the database.',
      type: 'string',
      required: true,
      oneOf: ['integer', 'float', 'text', 'boolean', 'timestamp', 'json'],
    },
    keyVariable: {
      doc: 'Environment variable with a key that the plugin reads by this name.',
      type: 'string',
      required: false,
    },
    holds: {
      doc: 'For a `json` column: an object with the fields of `properties`, or an array with items of `property_type`.',
      type: 'string',
      required: false,
      oneOf: ['object', 'array'],
    },
  },
  handle: [],
  host: (fragment) => ({ file: 'model', json: { _example: { example: fragment } }, at: '/_example/example' }),
});
