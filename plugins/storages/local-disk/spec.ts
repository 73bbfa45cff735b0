/** Spec of the storage `local-disk`: files in a local folder, served by the server itself. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { storageErrors } from '../kind.js';

export default definePlugin({
  kind: 'storage',
  name: 'local-disk',
  since: '0.3.0',
  summary: 'Files in a folder of this machine, served under `/files/`.',
  details: [
    'The default. A file is written beside its place and moved there when it is whole; nothing is overwritten. Only pictures',
    '(JPEG, PNG, WebP, GIF) are shown by browsers; everything else is a download. Byte ranges and `ETag` are answered.',
    '',
    '- Files of an upload with `expiration` are read only with a signed address; the key for it lies in the folder (`signing.key`).',
    '- Several processes see the same files only when they have the same folder.',
    '- `url` is what the answered addresses begin with, where a proxy serves them under another name.',
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
      doc: 'What the address of a file begins with.',
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
      help: 'The config names it as `storage.path`. It must be a folder of the user that runs the server, and no link.',
    },
    STO_LINK: {
      status: 403,
      title: 'Address not valid',
      message: 'This address is not valid or has expired.',
      help: 'Signed addresses expire after the `expiration` of the upload; request a new one.',
    },
    STO_RANGE: {
      status: 416,
      title: 'No such range',
      message: 'The requested range is outside the file.',
      help: 'Ask for bytes that the file has, or for all of it.',
    },
  },
  examples: [
    { title: 'The default folder', json: { use: 'local-disk' } },
    { title: 'Behind a proxy', json: { use: 'local-disk', path: 'uploads', url: 'https://files.example.com/files' } },
  ],
  counterExamples: [{ title: 'A path is text', json: { use: 'local-disk', path: 5 }, code: 'DEF_TYPE', at: '/path' }],
});
