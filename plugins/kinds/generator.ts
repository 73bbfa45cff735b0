/** Kind `generator`: makes identifiers. Every generator draws from a cryptographic source. */
import { defineKind } from '../../kernel/contract/kind.js';
import { asParameter } from './hosts.js';

export interface Generator {
  next(): string;
}

export const generator = defineKind<Generator>({
  kind: 'generator',
  title: 'Generator',
  summary: 'Makes an identifier, as `$GENERATOR.<name>`.',
  slots: [],
  select: { by: 'name' },
  facts: {
    length: { doc: 'Characters of an identifier.', type: 'number', required: true },
    pattern: { doc: 'Regular expression that every identifier matches, whole.', type: 'string', required: true },
    sortable: { doc: 'Identifiers sort by the time they were made.', type: 'boolean', required: true },
  },
  handle: ['next'],
  host: (fragment) => asParameter(fragment),
});
