/**
 * Stores or removes files. All are validated before any is stored, and removed when the request fails before other
 * work may refer to them.
 */
import { asText, isObject, formatPointer, type Json } from '../../../contract/json.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Frame, ModePlan, Outputs, PlanTools, Reader, UploadedFile } from '../../../contract/plan.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { mode } from '../kind.js';
import { storage, type Storage } from '../../storages/kind.js';
import { endAtDeadline } from '../../shared/deadline.js';
import { BootError } from '../../../contract/boot-error.js';
import { randomUUID } from 'node:crypto';
import { isStorageKey } from '../../storages/shared/key.light.js';
import { trimSlash, findFolderFlaw, parseFolder, isFolderValue } from './folder.light.js';
import { normalizeMediaType } from '../../storages/shared/media.light.js';
import { DEFAULT_BYTES, DEFAULT_COUNT, MAX_KEYS } from './limits.light.js';
import { createColorReader, type ReadDominantColor } from './dominant-color.js';
import { detectFileType, type MediaType } from './sniff.js';

type Fields = Readonly<Record<string, Json>>;

export default defineRuntime(mode, {
  create: ({ resolve, log }) => {
    const readDominantColor = createColorReader();
    return {
      plan(value, _pointer, tools) {
        const uploads: Fields = isObject(value['uploads']) ? value['uploads'] : {};
        const store = resolve(storage, 'storage');
        const written = typeof uploads['upload_folder'] === 'string' ? trimSlash(uploads['upload_folder']) : null;
        const folder = compileFolder(written, (accessor) => tools.value(accessor));
        if (uploads['delete_files'] === true) {
          tools.recordPayloadRead(null);
          return planRemoval(store, folder, written, tools.outputs());
        }
        return planStoring(uploads, value, folder, tools, { store, log, readDominantColor });
      },
    };
  },
});

interface StoringContext {
  readonly store: Storage;
  readonly log: Log;
  readonly readDominantColor: ReadDominantColor;
}

const numberOr = (value: Json | undefined, other: number): number => (typeof value === 'number' ? value : other);

function planStoring(
  uploads: Fields,
  value: Fields,
  folder: Reader<string>,
  tools: PlanTools,
  { store, log, readDominantColor }: StoringContext,
): ModePlan {
  const count = numberOr(uploads['max_file_uploads'], DEFAULT_COUNT);
  const bytes = numberOr(uploads['max_upload_file_size'], DEFAULT_BYTES);
  const seconds = typeof uploads['expiration'] === 'number' ? uploads['expiration'] : null;
  const listed = uploads['allowed_mimetypes'];
  const allowed = Array.isArray(listed)
    ? listed.map((type: Json) => normalizeMediaType(asText(type).toLowerCase()))
    : null;
  const place = tools.action('self', numberOr(value['id'], -1)) ?? -1;
  const readColor = isColorUsed(value, tools.root) ? readDominantColor : null;
  const outputs = tools.outputs();

  const put = async (frame: Frame): Promise<unknown> => {
    const { files } = frame.invocation;
    if (files.length === 0) throw createFault('UPL_NO_FILE');
    if (files.length > count) throw createFault('REQ_TOO_COMPLEX', { what: 'files', max: count });
    if (files.length > 1 && outputs !== null) throw createSeveralFilesFault(files);
    const base = folder(frame);
    const types = await checkTypes(files, bytes, allowed);
    const stored = files.map((file, index) => prepareFile(file, types[index], base));
    const keys = stored.map(({ key }) => key);
    frame.invocation.onFinish((answered) =>
      answered ? undefined : removeStored(store, log, keys, frame.committedTo > place),
    );
    for (const { key, file, type } of stored) {
      const { path, size } = file;
      const given = { path, size, type: type.type, ...(seconds !== null && { signed: true as const }) };
      // A file that arrives after the deadline belongs to no response.
      const removeLate = (): void => void removeStored(store, log, [key], false);
      await endAtDeadline(store.put(key, given, frame), frame, 'storage', removeLate);
    }
    const results = await Promise.all(
      stored.map(async ({ key, name, file, type }) => ({
        storage_key: key,
        url: await endAtDeadline(store.url(key, seconds), frame, 'storage'),
        dominant_color: readColor === null ? null : await readColor(file, type.type, frame),
        file_size: file.size,
        original_file_name: file.originalName,
        new_file_name: name,
        file_type: type.type,
        extension: type.extension,
      })),
    );
    const [only] = results;
    if (only !== undefined) outputs?.assignItem(frame, only);
    return results;
  };
  const describe = { upload: { files: count, bytes, types: allowed ?? 'any', folder: uploads['upload_folder'] ?? '' } };
  return { execute: put, files: { count, bytes }, describe };
}

/** A later step names the result of a single file. */
function createSeveralFilesFault(files: readonly UploadedFile[]): Fault {
  const detail = 'One file is expected.';
  const issues = files.slice(1).map(({ field }) => ({ pointer: formatPointer([field]), code: 'UPL_SEVERAL', detail }));
  return createFault('UPL_SEVERAL', {}, { issues });
}

/** Validates all files before any is stored; names every rejected one. */
async function checkTypes(
  files: readonly UploadedFile[],
  max: number,
  allowed: readonly string[] | null,
): Promise<MediaType[]> {
  const large = files.find(({ size }) => size > max);
  if (large !== undefined) throw createFault('REQ_PART', { name: large.field, max });
  // Either the detected or the declared type may be wrong.
  const wanted =
    allowed === null
      ? 'The type of this file is not accepted.'
      : `must be, and be declared as, one of: ${allowed.join(', ')}`;
  const types: MediaType[] = [];
  const issues: { pointer: string; code: string; detail: string }[] = [];
  for (const file of files) {
    const type = await detectFileType(file, allowed);
    if (type !== null) types.push(type);
    else
      issues.push({
        pointer: formatPointer([file.field]),
        code: 'UPL_TYPE_REFUSED',
        detail: wanted,
      });
  }
  if (issues.length > 0) throw createFault('UPL_TYPE_REFUSED', {}, { issues });
  return types;
}

interface StoredFile {
  readonly key: string;
  readonly name: string;
  readonly file: UploadedFile;
  readonly type: MediaType;
}

function prepareFile(file: UploadedFile, type: MediaType | undefined, folder: string): StoredFile {
  if (type === undefined) throw createFault('UPL_TYPE_REFUSED');
  const name = createFileName(type.extension);
  return { key: createStorageKey(folder, name), name, file, type };
}

/** `kept`: other work was committed and may refer to the files. */
async function removeStored(store: Storage, log: Log, keys: readonly string[], kept: boolean): Promise<void> {
  if (kept) {
    log.warn({ keys }, 'request failed after its files were stored and other changes were committed; the files stay');
    return;
  }
  try {
    await store.remove(keys);
  } catch (error) {
    if (store.removeInBackground !== undefined) return store.removeInBackground(keys);
    log.error({ keys, err: error }, 'request failed and its files could not be removed');
  }
}

function planRemoval(
  store: Storage,
  folder: Reader<string>,
  written: string | null,
  outputs: Outputs | null,
): ModePlan {
  const remove = async (frame: Frame): Promise<unknown> => {
    const base = folder(frame);
    const keys: unknown = frame.payload;
    if (base === '' || !Array.isArray(keys) || keys.length > MAX_KEYS) throw createFault('UPL_KEY', { max: MAX_KEYS });
    if (outputs !== null && keys.length !== 1) throw createFault('UPL_SEVERAL');
    const foreign = keys.flatMap((key, index) => (isInside(base, key) ? [] : index));
    if (foreign.length > 0) {
      const detail = 'This is no key of a file here.';
      const issues = foreign.map((index) => ({ pointer: `/${index}`, code: 'UPL_KEY', detail }));
      throw createFault('UPL_KEY', { max: MAX_KEYS }, { issues });
    }
    const inside = [...new Set(keys as string[])];
    if (inside.length > 0) await endAtDeadline(store.remove(inside, frame), frame, 'storage');
    const results = inside.map((key) => ({ storage_key: key, deleted: true }));
    const [only] = results;
    if (only !== undefined) outputs?.assignItem(frame, only);
    return results;
  };
  return { execute: remove, takesList: true, needsList: true, describe: { remove: { folder: written ?? '' } } };
}

const NAME = 'dominant_color';
/** Path of a whole result. */
const WHOLE = 'self_';

/** `action`: the upload; `root`: its resource. */
export function isColorUsed(action: Fields, root: Fields): boolean {
  // A `returnables` list removes fields that it does not name.
  const listed = Array.isArray(action['returnables']) || Array.isArray(root['returnables']);
  return !listed || hasMention(action) || hasMention(root);
}

function hasMention(value: Json): boolean {
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      if (next === WHOLE || next.includes(NAME)) return true;
    } else if (Array.isArray(next)) stack.push(...(next as readonly Json[]));
    else if (isObject(next)) stack.push(...Object.values(next));
  }
  return false;
}

/** `read`: an accessor as text. Null: files at the root. */
export function compileFolder(folder: string | null, read: (accessor: string) => Reader): Reader<string> {
  if (folder === null) return () => '';
  const flaw = findFolderFlaw(folder);
  if (flaw !== null) throw new BootError('UPL_FOLDER', { what: flaw });
  const pieces = parseFolder(folder).map((part): string | Reader<string> => {
    if (typeof part === 'string') return part;
    const value = read(part.text);
    // An invalid environment value would fail every request.
    if (part.root === 'ENV') {
      const text = String(value(undefined as never));
      if (!isFolderValue(text))
        throw new BootError('UPL_FOLDER', { what: `the value of ${part.text} is no plain name` });
      return text;
    }
    return (frame) => {
      const found = value(frame);
      const text = typeof found === 'number' ? String(found) : found;
      if (typeof text !== 'string' || !isFolderValue(text)) throw createFault('UPL_FOLDER_VALUE');
      return text;
    };
  });
  return (frame) => {
    let path = '';
    for (const piece of pieces) path += typeof piece === 'string' ? piece : piece(frame);
    return path;
  };
}

/** A random name from a cryptographic source. */
export const createFileName = (extension: string): string =>
  `${randomUUID()}.${/^[a-z0-9]{1,16}$/.test(extension) ? extension : 'bin'}`;

export function createStorageKey(folder: string, name: string): string {
  const key = folder === '' ? name : `${folder}/${name}`;
  if (!isStorageKey(key)) throw createFault('UPL_FOLDER_VALUE');
  return key;
}

/** Compares whole path segments: `users/1` does not contain `users/12`. */
export const isInside = (folder: string, key: unknown): key is string =>
  isStorageKey(key) && key.startsWith(`${folder}/`);
