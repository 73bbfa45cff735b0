/**
 * Kind `generator`: creates identifiers. Their random parts are cryptographically secure; not all parts are random.
 */
import { defineKind } from '../../contract/kind.js';
import { wrapAsParameter } from '../shared/examples.light.js';

export interface Generator {
  next(): string;
}

export const generator = defineKind<Generator>({
  kind: 'generator',
  title: 'Generator',
  summary: 'Creates an identifier, as `$GENERATOR.<name>`.',
  slots: [],
  select: { by: 'name' },
  facts: {
    length: { doc: 'Number of characters of an identifier.', type: 'number', required: true },
    pattern: { doc: 'Regular expression that matches every identifier as a whole.', type: 'string', required: true },
    guessable: {
      doc: 'Can be guessed from the time or from another identifier, or is short: must not be used as a secret.',
      type: 'boolean',
      required: true,
    },
    sortable: { doc: 'Identifiers sort by the time of their creation.', type: 'boolean', required: true },
  },
  handle: ['next'],
  host: (fragment) => wrapAsParameter(fragment),
});
