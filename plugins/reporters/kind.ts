/** Kind `reporter`: writes the results of `lintel test`. */
import { defineKind } from '../../contract/kind.js';
import { Slot } from '../../contract/slot.js';
import type { TestReporter } from '../../contract/tests.js';

export const reporter = defineKind<TestReporter>({
  kind: 'reporter',
  title: 'Reporter',
  summary: 'Writes the results of `lintel test`.',
  slots: [Slot.REPORTER],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'reporter',
    doc: 'The reporter of `lintel test`, unless `--reporter` names another one.',
    many: false,
    load: 'when-required',
    default: () => 'pretty',
  },
  facts: {},
  handle: ['startReport'],
  host: (fragment) => ({ file: 'config', json: { reporter: fragment }, at: '/reporter' }),
});
