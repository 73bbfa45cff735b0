/** Spec of the storage `local-disk`: files in a local folder, served by the server itself. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { storageErrors } from '../kind.js';

export default definePlugin({
  kind: 'storage',
  name: 'local-disk',
  since: '0.3.0',
  summary: 'Stores files in a folder of this machine, and serves them under `/files/`.',
  details: [
    'The default. A file is first written next to its final path and moved there when it is complete; nothing is',
    'overwritten. Browsers show only images (JPEG, PNG, WebP, GIF); all other files are downloads. Byte ranges and',
    '`ETag` are supported.',
    '',
    '- Files of an upload with `expiration` can be read only with a signed URL; its key is in the folder',
    '  (`signing.key`).',
    '- Several processes share files only if they use the same folder.',
    '- `url` is the beginning of the returned URLs, for example if a proxy serves them under another name.',
  ].join('\n'),
  facts: { shared: false },
  schema: shape({
    path: value(string(), {
      doc: 'Folder of the files, relative to the config file.',
      path: 'folder',
      default: '.lintel/files',
      examples: ['.lintel/files', '$ENV.FILES_FOLDER'],
      roots: ['ENV'],
    }),
    url: value(string(), {
      doc: 'Base URL of the files.',
      default: '/files',
      examples: ['https://files.example.com/files', '$ENV.FILES_URL'],
      roots: ['ENV'],
    }),
  }),
  // The other codes occur only at start and when files are requested.
  openapi: () => ({ refuses: ['STO_AWAY'] }),
  errors: {
    ...storageErrors,
    STO_FOLDER: {
      status: 500,
      title: 'No folder for files',
      message: 'The folder {folder} cannot be used: {what}.',
      help: 'The folder is `storage.path` in the config. It must be a folder of the user that runs the server, not a link.',
    },
    STO_LINK: {
      status: 403,
      title: 'Address not valid',
      message: 'This address is not valid or has expired.',
      help: 'Signed addresses expire after the `expiration` of the upload; request a new one.',
    },
    STO_RANGE: {
      status: 416,
      title: 'Range not available',
      message: 'The requested range is outside the file.',
      help: 'Request bytes that the file has, or the whole file.',
    },
  },
  examples: [
    { title: 'The default folder', json: { use: 'local-disk' } },
    { title: 'Behind a proxy', json: { use: 'local-disk', path: 'uploads', url: 'https://files.example.com/files' } },
  ],
  counterExamples: [
    { title: 'A path that is not text', json: { use: 'local-disk', path: 5 }, code: 'DEF_TYPE', at: '/path' },
  ],
});
