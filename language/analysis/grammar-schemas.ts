/**
 * The schemas of the kernel's part of the language. The language server's bundle contains them folded
 * (`extension/tools/built-in.ts`).
 */
import { number } from 'yup';
import { Slot } from '../../contract/slot.js';
import { foldSchema } from '../schema/fold.js';
import { either, flag, list, record, shape, slot, text } from '../../contract/combinators.js';
import type { FieldNode } from '../schema/field-node.js';
import { createConfigSchema } from './config-schema.js';
import { testFile } from './test-schema.js';

const suggestRename = (name: string, say = `the field is called "${name}"`) => ({ say, rename: name });
const PATH = suggestRename('resource', 'the path of the endpoint is `"resource"`');
const STEPS = suggestRename('actionables', 'the units of work are listed in `"actionables"`');
const VERBS = 'verbs are switched on for all endpoints, in the config file: `"http": {"methods": ["POST", "GET"]}`';
const RESOURCE_FORMS = {
  name: suggestRename('id'),
  path: PATH,
  route: PATH,
  endpoint: PATH,
  url: PATH,
  actions: STEPS,
  actionable: STEPS,
  steps: STEPS,
  tasks: STEPS,
  handlers: STEPS,
  method: VERBS,
  methods: VERBS,
  verb: VERBS,
  http_method: VERBS,
};
const ACKNOWLEDGED = '{"code": "SEC_NO_OWNER", "because": "every administrator may"}';
const ACTIONABLE_FORMS = {
  type: suggestRename('mode', 'the sort of work is `"mode"`'),
  name: 'actionables have numbers, not names: `"id": 1`',
  noop: suggestRename('no_op'),
  method: VERBS,
  order: 'actionables run in the order written',
};

const createAcknowledgeField = () =>
  list(
    shape(
      {
        code: text({ doc: 'Code of the warning or hint.', examples: ['SEC_NO_OWNER'] }).required(),
        because: text({ doc: 'Why it is intended.', examples: ['every administrator may'] }).required(),
      },
      {
        form: ACKNOWLEDGED,
        mistaken: {
          reason: suggestRename('because'),
          why: suggestRename('because'),
          comment: suggestRename('because'),
        },
      },
    ),
    {
      doc: 'Warnings and hints that are intended, with the reason. They are counted, but not reported. An entry that matches no problem is reported as a warning.',
      itemLabel: 'this entry',
      form: `[${ACKNOWLEDGED}]`,
    },
  );

const actionable = shape(
  {
    id: number()
      .required()
      .integer()
      .meta({
        doc: 'Number of the actionable inside its resource; other actionables name it in `depends_on`.',
        declares: 'action',
        examples: [1],
      }),
    no_op: flag({ doc: 'The actionable runs only when another one depends on it.', default: false }),
    parallel: flag({
      doc: 'Runs at the same time as the parallel actionables next to it, outside any transaction.',
      default: false,
    }),
    main_returnable: flag({ doc: 'The result of this actionable is the result of the resource.', default: false }),
    acknowledge: createAcknowledgeField(),
  },
  { mistaken: ACTIONABLE_FORMS },
);

const resource = shape(
  {
    id: text({
      doc: 'Identifier of the resource; also a path under which it is reachable.',
      declares: 'resource',
      examples: ['sign-up-01'],
    }).required(),
    resource: text({
      doc: 'Path of the endpoint; slashes are part of it. A segment `:name` becomes a field of the payload.',
      examples: ['sign-up', 'wallet/transfer', 'notes/:id'],
    })
      .required()
      .matches(
        /^(?!(.*\/)?\.{1,2}(\/|$))(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9._~-]+)(\/(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9._~-]+))*$/,
      ),
    parallel: flag({ doc: 'All actionables of the resource run at the same time.', default: false }),
    actionables: list(slot([Slot.ACTIONABLE, Slot.MODE], { doc: 'One unit of work.' }), {
      doc: 'Units of work, run in the order written.',
      itemLabel: 'this actionable',
      form: '[{"id": 1, "mode": "...", ...}]',
    }).required(),
    acknowledge: createAcknowledgeField(),
  },
  { mistaken: RESOURCE_FORMS },
);

const model = record(
  slot([Slot.MODEL_FIELD], {
    doc: 'One column (or document field).',
    form: '{"type": "Number"}',
    short: { string: 'type' },
  }),
  {
    doc: 'A database model: field names and their definitions.',
    declares: 'model-field',
  },
);

const createOwnField = () =>
  text({ doc: 'A field of the model.', complete: { source: 'model-field' }, examples: ['email'] });

const beside = shape({
  unique: list(
    either([createOwnField(), list(createOwnField(), { doc: 'A combination of fields.' }).min(1)], {
      doc: 'A field, or a combination of fields.',
    }),
    {
      doc: 'Fields, or combinations of fields, that must be unique.',
      examples: [[['owner', 'title']]],
    },
  ),
  connection: text({
    doc: 'The connection of the config where the table is, if not `main`.',
    complete: { source: 'connection' },
    examples: ['reports'],
  }),
  table: text({
    doc: 'The table, as the database names it: a name of the model. Statements use this name. By default the table has the name that statements use, or that of the model if none does.',
    examples: ['users'],
  }),
  acknowledge: createAcknowledgeField(),
});

/** The kernel's fields of the config; plugins add sections. */
export const createConfigField = (): FieldNode => foldSchema(createConfigSchema(), 'config');

export const NODES: Readonly<Record<'resource' | 'actionable' | 'model' | 'beside' | 'test', FieldNode>> = {
  resource: { ...foldSchema(resource, 'resource'), parts: [Slot.RESOURCE] },
  actionable: foldSchema(actionable, 'actionable'),
  model: foldSchema(model, 'model'),
  beside: foldSchema(beside, 'model'),
  test: foldSchema(testFile, 'test'),
};
