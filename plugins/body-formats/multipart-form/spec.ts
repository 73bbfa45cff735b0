/** Spec of the body format `multipart_form`: forms of browsers, with files. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'body-format',
  name: 'multipart_form',
  since: '0.3.0',
  summary: 'Reads `multipart/form-data`: text parts become the payload, files are stored until the request ends.',
  details:
    '`http.limits.parts` and `http.limits.field` limit the parts; the actionable that accepts files limits their number and size.',
  facts: { media_type: 'multipart/form-data' },
  examples: [{ title: 'At most 20 parts, texts of at most 10 kB', json: { parts: 20, field: 10_000 } }],
  counterExamples: [{ title: 'No parts', json: { parts: 0 }, code: 'DEF_RANGE', at: '/parts' }],
});
