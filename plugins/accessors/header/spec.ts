/** Spec of `$HEADER`: a header of the request. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'HEADER',
  since: '0.1.0',
  summary: 'A request header: `$HEADER.x-tenant`. Case does not matter; `$HEADER.ip` is the address of the client.',
  details: 'A request without the header is rejected with 422.',
  facts: {
    tail: 'name',
    secret: false,
    reads: 'headers',
    offers: ['ip'],
    aliases: ['HEADERS', 'REQUEST_HEADER', 'REQUEST_HEADERS'],
  },
  openapi: ({ value: { tail } }) => {
    const name = Array.isArray(tail) ? tail.map(String).join('.') : '';
    const text = { type: 'string' };
    // The client address is always known.
    if (name === 'ip') return { value: text };
    return {
      value: text,
      headers: { [name]: { doc: 'A header that the endpoint reads.', schema: text, required: true } },
      refuses: ['ACC_UNRESOLVED'],
    };
  },
  examples: [
    { title: 'A header', json: '$HEADER.x-tenant' },
    { title: 'The address of the client', json: '$HEADER.ip' },
  ],
  counterExamples: [{ title: 'No header named', json: '$HEADER', code: 'ACC_TAIL', at: '' }],
});
