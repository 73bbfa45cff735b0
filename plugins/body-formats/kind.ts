/** Kind `body-format`: reads request bodies that are not JSON. Each registers its format, and has no handle. */
import { defineKind } from '../../contract/kind.js';

export const bodyFormat = defineKind<object>({
  kind: 'body-format',
  title: 'Body format',
  summary: 'Reads request bodies of a media type besides JSON.',
  slots: [],
  select: { by: 'name' },
  facts: {},
  handle: [],
  enable: () => ({}),
  host: (fragment) => ({ file: 'config', json: { http: { limits: fragment } }, at: '/http/limits' }),
});
