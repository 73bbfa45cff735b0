/** Error codes of uploads, in definitions and requests. Data only. */
import type { CodeEntry } from '../../../contract/problem.js';

export const UPLOAD_ERRORS = {
  UPL_SMALL: {
    severity: 'warning',
    title: 'Size limit in megabytes',
    message: 'No file is larger than {size} bytes then; {size} MiB are {bytes}.',
    help: '`max_upload_file_size` counts bytes.',
  },
  UPL_ANY_TYPE: {
    severity: 'warning',
    title: 'Files of any type',
    message: 'Without `allowed_mimetypes` files of every type are stored, except what a browser would run.',
    help: 'List the allowed types: `"allowed_mimetypes": ["image/*"]`.',
  },
  UPL_MEDIA_TYPE: {
    severity: 'error',
    title: 'Not a media type',
    message: '"{type}" is not a media type such as `image/png`, `image/*` or `application/pdf`.',
    help: 'Write type and subtype, without parameters.',
  },
  UPL_FOLDER: {
    severity: 'error',
    title: 'Folder not valid',
    message: 'Files cannot be stored here: {what}.',
    help: 'Write a folder as `avatars` or `users/$PROTECTED.id`: names with single slashes between them.',
  },
  UPL_DELETE_FOLDER: {
    severity: 'error',
    title: 'Removes files of any caller',
    message: '`delete_files` removes only what is inside `upload_folder`, but {what}.',
    help: 'Name the folder whose files may be removed, preferably one of the caller: `"upload_folder": "users/$PROTECTED.id"`.',
  },
  UPL_DELETE_SHARED: {
    severity: 'warning',
    title: 'Removes files of other callers',
    message: 'The folder is the same for all callers: {who} may remove every file in it.',
    help: 'If files belong to callers, put a claim of the token into the folder: `users/$PROTECTED.id`.',
  },
  UPL_SEVERAL: {
    status: 422,
    title: 'Several files',
    message: 'Exactly one file is expected here.',
    help: 'A later statement reads a name such as `url` of the single file. With `"multi": true` it runs once for each file.',
  },
  UPL_NO_FILE: {
    status: 422,
    title: 'No file',
    message: 'The request has no file; files come in a form (`multipart/form-data`).',
    help: 'Send `multipart/form-data` with at least one part that has a file name.',
  },
  UPL_TYPE_REFUSED: {
    status: 415,
    title: 'File type not allowed',
    message: 'A file is not of a type that is accepted here.',
    help: 'The type is detected from the bytes of the file, and must match the type that the client declares.',
  },
  UPL_FOLDER_VALUE: {
    status: 422,
    title: 'Value not allowed',
    message: 'A value that names a folder must be 1 to 64 letters, digits, `_` and `-`.',
    help: 'The folder of these files contains values of the request or token; they must be plain identifiers.',
  },
  UPL_KEY: {
    status: 422,
    title: 'Key of another folder',
    message: 'The body must be an array of up to {max} storage keys of this folder; nothing was removed.',
    help: 'Send keys as the upload returned them. Each entry of `errors` names a key of another folder.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
