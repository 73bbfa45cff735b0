/** Spec of `$PAYLOAD`: the request body. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'PAYLOAD',
  since: '0.1.0',
  summary: 'A value of the request body: `$PAYLOAD.address.city`; `$PAYLOAD` alone is the whole body.',
  details:
    'A string that is a single accessor keeps the type of the value. A request without the value is rejected with ' +
    '422, unless `payload_validation` declares the field `optional`; then the value is null. Names that other ' +
    'actionables define (`for`) are found here too.',
  facts: {
    tail: 'optional-path',
    secret: false,
    reads: 'payload',
    aliases: ['PARAM', 'PARAMS', 'BODY', 'QUERY', 'REQUEST', 'REQ', 'INPUT', 'DATA', 'ARGS', 'FORM'],
  },
  openapi: ({ value: { tail }, payload }) => {
    const path = Array.isArray(tail) ? tail.map(String) : [];
    return { value: payload(path) ?? {}, refuses: path.length === 0 ? [] : ['ACC_UNRESOLVED'] };
  },
  examples: [
    { title: 'A field', json: '$PAYLOAD.email' },
    { title: 'A nested field, with an index', json: '$PAYLOAD.items.0.sku' },
  ],
  counterExamples: [{ title: 'A reserved name', json: '$PAYLOAD.constructor', code: 'ACC_POISON', at: '' }],
});
