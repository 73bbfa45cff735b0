/** Spec of `dominant_color`: the most frequent color of a picture. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'inspector',
  name: 'dominant_color',
  since: '0.3.0',
  packages: ['sharp'],
  summary: 'The most frequent colour of an image, as `#rrggbb`.',
  details:
    'For JPEG, PNG, WebP and GIF (its first frame) of up to 40 million pixels. Null for all other files, for damaged ' +
    'images, and if it takes longer than 5 seconds: an upload never fails because of its colour.',
  facts: { types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] },
  examples: [{ title: 'As a result of an upload', json: 'dominant_color' }],
  counterExamples: [{ title: 'A name that is not text', json: 5, code: 'DEF_TYPE', at: '' }],
});
