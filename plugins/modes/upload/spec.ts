/** Stores the files of a request, or removes stored ones. */
import { string } from 'yup';
import { asText, isObject, type Json } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { isSub0 } from '../../../contract/profile.js';
import { flag, list, numeric, shape, text, value } from '../../../contract/combinators.js';
import { describeUploadApi } from './api.light.js';
import { UPLOAD_ERRORS } from './errors.light.js';
import { findFolderFlaw, parseFolder, trimSlash } from './folder.light.js';
import { DEFAULT_BYTES, DEFAULT_COUNT, MAX_KEYS } from './limits.light.js';
import { isMediaPattern, findTypeByShortName } from '../../storages/shared/media.light.js';

const OUTPUTS = [
  'storage_key',
  'url',
  'dominant_color',
  'file_size',
  'original_file_name',
  'new_file_name',
  'file_type',
  'extension',
];

const COUNT = { say: 'the maximum number of files is `"max_file_uploads"`', rename: 'max_file_uploads' };
const SIZE = {
  say: 'the maximum size of one file, in bytes, is `"max_upload_file_size"`',
  rename: 'max_upload_file_size',
};
const TYPES = { say: 'accepted types are listed in `"allowed_mimetypes"`', rename: 'allowed_mimetypes' };
const FOLDER = { say: 'the folder of the files is `"upload_folder"`', rename: 'upload_folder' };

export default definePlugin({
  kind: 'mode',
  name: 'UPLOAD',
  aliases: ['FILE', 'FILES', 'STORAGE', 'FILE_UPLOAD'],
  since: '0.3.0',
  summary: 'Stores the files of a request (`multipart/form-data`), or removes stored ones.',
  details: [
    'Every part with a file is stored, whatever its name; text parts are the payload. The result is an array with an',
    'object for each file, in the order of the request: `storage_key`, `url`, `dominant_color` (`#rrggbb`; null if',
    'the file is not a valid JPEG, PNG, WebP or GIF of up to 40 million pixels, if it takes longer than 5 seconds, or if',
    'nothing reads it), `file_size` (bytes), `original_file_name`,',
    '`new_file_name`, `file_type` and `extension`. Later actionables use these names directly and as',
    '`$PAYLOAD.<name>`: with `"multi": true` a query runs once for each file; without it the names refer to the',
    'single file, and a request with several is rejected with 422.',
    '',
    '- Stored names are generated; a file name from a client is data, and never part of a path.',
    '- The type of a file is detected from its bytes, and must match the type that the client declares and',
    '  `allowed_mimetypes`.',
    '- All files are stored or none; if a later actionable fails before any work after the upload is done, they',
    '  are removed.',
    '- With `delete_files` the body is an array of storage keys, and only those inside `upload_folder` are removed.',
  ].join('\n'),
  facts: { touches: 'files', lists: true, outputs: OUTPUTS, immediate: true },
  packages: ['sharp'],
  requires: ['storage:*'],
  schema: shape({
    uploads: shape(
      {
        max_file_uploads: numeric({
          doc: 'Maximum number of files in one request.',
          default: DEFAULT_COUNT,
          examples: [5],
        })
          .integer()
          .min(1)
          .max(1000),
        max_upload_file_size: numeric({
          doc: 'Maximum size of one file, in bytes.',
          default: DEFAULT_BYTES,
          unit: 'bytes',
          examples: [10_485_760],
        })
          .integer()
          .min(1)
          .max(5_368_709_120),
        allowed_mimetypes: list(
          text({
            doc: 'A media type, or a group such as `image/*`.',
            complete: { source: 'media-type' },
            examples: ['image/png', 'image/*'],
          }).required(),
          {
            doc:
              'Accepted media types. SVG, HTML, XML and scripts must be listed by their full names. ' +
              'Without the list, all other types are accepted.',
            examples: [['image/jpeg', 'image/png']],
          },
        ).min(1),
        upload_folder: value(string(), {
          doc:
            'Folder of the files; it may contain accessors, whose values must be 1 to 64 letters, digits, `_` ' +
            'and `-`. Default: the top folder.',
          examples: ['avatars', 'users/$PROTECTED.id', 'gallery/$GENERATOR.ULID'],
          roots: ['PAYLOAD', 'PROTECTED', 'GENERATOR', 'ENV'],
          sent: true,
        }),
        expiration: numeric({
          doc:
            'Seconds for which the returned `url` is valid (extension); the file cannot be read without it. By default, the ' +
            '`url` is valid as long as the file exists.',
          unit: 'seconds',
          examples: [3600],
        })
          .integer()
          .min(1)
          .max(604_800),
        delete_files: flag({
          doc: 'Removes files instead: the body is an array of storage keys. Needs `upload_folder`.',
          default: false,
        }),
      },
      {
        mistaken: {
          max_files: COUNT,
          max_file_count: COUNT,
          max_file_size: SIZE,
          max_size: SIZE,
          size_limit: SIZE,
          file_size: SIZE,
          max_count: COUNT,
          file_limit: COUNT,
          limit: COUNT,
          accept: TYPES,
          types: TYPES,
          file_types: TYPES,
          directory: FOLDER,
          dir: FOLDER,
          prefix: FOLDER,
          destination: FOLDER,
          bucket: 'the storage is set in the `storage` section of the config',
          storage: 'the storage is set in the `storage` section of the config',
          allowed_types: TYPES,
          mimetypes: TYPES,
          mime_types: TYPES,
          folder: FOLDER,
          path: FOLDER,
          expires_in: { say: 'the lifetime of a url is `"expiration"`, in seconds', rename: 'expiration' },
          delete: { say: 'files are removed with `"delete_files": true`', rename: 'delete_files' },
        },
        form: '{"max_file_uploads": 5, "allowed_mimetypes": ["image/*"], "upload_folder": "gallery"}',
      },
    )
      .required()
      .meta({ doc: 'The accepted files, and their folder.' }),
  }),
  check,
  // A removed file has only its key.
  answers: ({ holder: { uploads } }) =>
    isObject(uploads) && uploads['delete_files'] === true ? ['storage_key', 'deleted'] : OUTPUTS,
  items: ({ holder: { uploads } }) => {
    const { delete_files: removes, max_file_uploads: most } = isObject(uploads) ? uploads : {};
    if (removes === true) return { most: MAX_KEYS, limit: null };
    return { most: typeof most === 'number' ? most : DEFAULT_COUNT, limit: ['uploads', 'max_file_uploads'] };
  },
  openapi: describeUploadApi,
  errors: UPLOAD_ERRORS,
  examples: [
    {
      title: 'Images in a folder of the caller',
      json: {
        mode: 'UPLOAD',
        uploads: { max_file_uploads: 3, allowed_mimetypes: ['image/jpeg', 'image/png'], upload_folder: 'gallery' },
        returnables: ['storage_key', 'url', 'dominant_color', 'file_size'],
      },
    },
    {
      title: 'Documents with a `url` that expires',
      json: {
        mode: 'UPLOAD',
        uploads: { max_upload_file_size: 1_048_576, allowed_mimetypes: ['application/pdf'], expiration: 600 },
        returnables: ['storage_key', 'url'],
      },
    },
  ],
  counterExamples: [
    { title: 'No `uploads`', json: { mode: 'UPLOAD' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Not a media type',
      json: { mode: 'UPLOAD', uploads: { allowed_mimetypes: ['png'] } },
      code: 'UPL_MEDIA_TYPE',
      at: '/uploads/allowed_mimetypes/0',
    },
    {
      title: 'Outside the folder',
      json: { mode: 'UPLOAD', uploads: { upload_folder: '../private' } },
      code: 'UPL_FOLDER',
      at: '/uploads/upload_folder',
    },
    {
      title: 'Removal without a folder',
      json: { mode: 'UPLOAD', uploads: { delete_files: true } },
      code: 'UPL_DELETE_FOLDER',
      at: '/uploads/delete_files',
    },
  ],
});

function check({ holder, root, profile }: CheckPlace): readonly Finding[] {
  const uploads = isObject(holder['uploads']) ? holder['uploads'] : {};
  const { allowed_mimetypes: allowed, upload_folder: folder } = uploads;
  return [
    ...checkTypes(allowed, uploads['delete_files'] === true),
    ...checkSize(uploads['max_upload_file_size']),
    ...(typeof folder === 'string' ? checkFolder(isSub0(profile) ? trimSlash(folder) : folder) : []),
    ...(uploads['delete_files'] === true ? checkRemoval(folder, isObject(root['protected'])) : []),
  ];
}

function checkTypes(allowed: Json | undefined, removes: boolean): Finding[] {
  if (allowed === undefined) return removes ? [] : [{ code: 'UPL_ANY_TYPE', at: '/mode' }];
  return (Array.isArray(allowed) ? (allowed as readonly Json[]) : []).flatMap((type, index) =>
    isMediaPattern(asText(type))
      ? []
      : [
          {
            code: 'UPL_MEDIA_TYPE',
            at: `/uploads/allowed_mimetypes/${index}`,
            params: { type: asText(type) },
            ...suggestType(type),
          },
        ],
  );
}

/** Short forms of media types: `png`, `.jpg`, `image`. */
function suggestType(type: Json): Pick<Finding, 'fix'> {
  const right = findTypeByShortName(asText(type));
  return right === null ? {} : { fix: { title: `change to "${right}"`, text: JSON.stringify(right) } };
}

/** Smaller numbers probably count megabytes. */
const HARDLY_A_FILE = 512;

function checkSize(size: Json | undefined): Finding[] {
  if (typeof size !== 'number' || size < 1 || size >= HARDLY_A_FILE) return [];
  const bytes = size * 1_048_576;
  const fix = { title: `change to ${bytes}`, text: String(bytes) };
  return [{ code: 'UPL_SMALL', at: '/uploads/max_upload_file_size', params: { size, bytes }, fix }];
}

function checkFolder(folder: string): Finding[] {
  const what = findFolderFlaw(folder);
  if (what === null) return [];
  const bare = folder.replace(/^(\.{0,2}\/)+|\/+$/g, '');
  const text = JSON.stringify(bare);
  const fix = bare === folder || findFolderFlaw(bare) !== null ? {} : { fix: { title: `change to ${text}`, text } };
  return [{ code: 'UPL_FOLDER', at: '/uploads/upload_folder', params: { what }, ...fix }];
}

/** Permission to remove files covers every file in the folder. */
function checkRemoval(folder: Json | undefined, guarded: boolean): Finding[] {
  if (typeof folder !== 'string') {
    return [
      { code: 'UPL_DELETE_FOLDER', at: '/uploads/delete_files', params: { what: 'there is no `upload_folder`' } },
    ];
  }
  const roots = parseFolder(folder).flatMap((part) => (typeof part === 'string' ? [] : part.root));
  const chosen = roots.find((name) => name === 'PAYLOAD' || name === 'GENERATOR');
  if (chosen !== undefined) {
    const what = `the body is a list of keys and has no names, so $${chosen} tells no folder`;
    return [{ code: 'UPL_DELETE_FOLDER', at: '/uploads/upload_folder', params: { what } }];
  }
  if (roots.includes('PROTECTED')) return [];
  const who = guarded ? 'everybody with a token' : 'everybody, without a token,';
  return [{ code: 'UPL_DELETE_SHARED', at: '/uploads/upload_folder', params: { who } }];
}
