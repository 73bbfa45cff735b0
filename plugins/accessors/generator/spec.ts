/** Spec of `$GENERATOR`: a fresh identifier from a generator plugin. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'GENERATOR',
  since: '0.1.0',
  summary: 'A new identifier: `$GENERATOR.ULID`. Each occurrence creates one identifier per request.',
  facts: {
    tail: 'plugin:generator',
    gives: 'text',
    secret: false,
    reads: 'nothing',
    aliases: ['GENERATE', 'GEN', 'RANDOM', 'ID'],
  },
  requires: ['generator:*'],
  openapi: ({ value: { tail }, facts }) => {
    const pattern = facts('generator', Array.isArray(tail) ? String(tail[0]) : '')?.pattern;
    return { value: { type: 'string', ...(typeof pattern === 'string' && { pattern: `^(?:${pattern})$` }) } };
  },
  examples: [{ title: 'A sortable identifier', json: '$GENERATOR.ULID' }],
  counterExamples: [
    { title: 'No such generator', json: '$GENERATOR.ULIDD', code: 'DEF_UNKNOWN_PLUGIN', at: '' },
    { title: 'No generator named', json: '$GENERATOR', code: 'ACC_TAIL', at: '' },
  ],
});
