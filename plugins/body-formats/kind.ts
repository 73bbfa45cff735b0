/** Kind `body-format`: reads request bodies that are not JSON. */
import { defineKind } from '../../contract/kind.js';

export const bodyFormat = defineKind<object>({
  kind: 'body-format',
  title: 'Body format',
  summary: 'Reads request bodies of a media type besides JSON.',
  slots: [],
  select: { by: 'name' },
  facts: {
    media_type: { doc: 'Media type in lower case, without parameters.', type: 'string', required: true },
  },
  handle: [],
  host: (fragment) => ({ file: 'config', json: { http: { limits: fragment } }, at: '/http/limits' }),
});
