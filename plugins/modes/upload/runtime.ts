/**
 * Stores or removes files. All files are validated before any is stored; stored files are removed when the request fails before
 * other work may refer to them.
 */
import { asText, isObject, pointerOf, type Json } from '../../../contract/json.js';
import { fault, type Fault } from '../../../contract/fault.js';
import type { Frame, ModePlan, Outputs, PlanTools, Reader, UploadedFile } from '../../../contract/plan.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { inspector, type Inspector } from '../../inspectors/kind.js';
import { mode } from '../kind.js';
import { storage, type Storage } from '../../storages/kind.js';
import { asksForColor } from './asks.js';
import { compileFolder, isInside, keyIn, newName } from './folder.js';
import { withoutSlash } from './folder.light.js';
import { sameName } from '../../storages/shared/media.light.js';
import { DEFAULT_BYTES, DEFAULT_COUNT, MAX_KEYS } from './limits.light.js';
import { judgeFile, type MediaType } from './sniff.js';

type Fields = Readonly<Record<string, Json>>;

export default defineRuntime(mode, {
  create: ({ resolve, log }) => ({
    plan(value, _pointer, tools) {
      const uploads: Fields = isObject(value['uploads']) ? value['uploads'] : {};
      const store = resolve(storage, 'storage');
      const written = typeof uploads['upload_folder'] === 'string' ? withoutSlash(uploads['upload_folder']) : null;
      const folder = compileFolder(written, (accessor) => tools.value(accessor));
      if (uploads['delete_files'] === true) {
        tools.readsPayload(null);
        return removing(store, folder, written, tools.outputs());
      }
      return storing(uploads, value, folder, tools, {
        store,
        log,
        color: resolve(inspector, 'dominant_color'),
      });
    },
  }),
});

interface Means {
  readonly store: Storage;
  readonly log: Log;
  readonly color: Inspector;
}

const numberOr = (value: Json | undefined, other: number): number => (typeof value === 'number' ? value : other);

function storing(
  uploads: Fields,
  value: Fields,
  folder: Reader<string>,
  tools: PlanTools,
  { store, log, color }: Means,
): ModePlan {
  const count = numberOr(uploads['max_file_uploads'], DEFAULT_COUNT);
  const bytes = numberOr(uploads['max_upload_file_size'], DEFAULT_BYTES);
  const seconds = typeof uploads['expiration'] === 'number' ? uploads['expiration'] : null;
  const listed = uploads['allowed_mimetypes'];
  const allowed = Array.isArray(listed) ? listed.map((type: Json) => sameName(asText(type).toLowerCase())) : null;
  const place = tools.action('self', numberOr(value['id'], -1)) ?? -1;
  const inspects = asksForColor(value, tools.root) ? color : null;
  const outputs = tools.outputs();

  const put = async (frame: Frame): Promise<unknown> => {
    const { files } = frame.invocation;
    if (files.length === 0) throw fault('UPL_NO_FILE');
    if (files.length > count) throw fault('REQ_TOO_COMPLEX', { what: 'files', max: count });
    if (files.length > 1 && outputs !== null) throw severalFiles(files);
    const base = folder(frame);
    const types = await judged(files, bytes, allowed);
    const stored = files.map((file, index) => described(file, types[index], base));
    const keys = stored.map(({ key }) => key);
    frame.invocation.release((answered) =>
      answered ? undefined : takeBack(store, log, keys, frame.committedTo > place),
    );
    for (const { key, file, type } of stored) {
      const { path, size } = file;
      await store.put(key, { path, size, type: type.type, ...(seconds !== null && { signed: true }) });
    }
    const results = await Promise.all(
      stored.map(async ({ key, name, file, type }) => ({
        storage_key: key,
        url: await store.url(key, seconds),
        dominant_color: inspects === null ? null : await inspects.inspect(file, type.type, frame),
        file_size: file.size,
        original_file_name: file.originalName,
        new_file_name: name,
        file_type: type.type,
        extension: type.extension,
      })),
    );
    const [only] = results;
    if (only !== undefined) outputs?.give(frame, only);
    return results;
  };
  const describe = { upload: { files: count, bytes, types: allowed ?? 'any', folder: uploads['upload_folder'] ?? '' } };
  return { execute: put, files: { count, bytes }, describe };
}

/** A later step names the result of a single file. */
function severalFiles(files: readonly UploadedFile[]): Fault {
  const detail = 'One file is expected.';
  const issues = files.slice(1).map(({ field }) => ({ pointer: pointerOf([field]), code: 'UPL_SEVERAL', detail }));
  return fault('UPL_SEVERAL', {}, { issues });
}

/** Validates all files before any is stored, and names every rejected one. */
async function judged(
  files: readonly UploadedFile[],
  max: number,
  allowed: readonly string[] | null,
): Promise<MediaType[]> {
  const large = files.find(({ size }) => size > max);
  if (large !== undefined) throw fault('REQ_PART', { name: large.field, max });
  // The detected type must match the declared type, and either may be wrong.
  const wanted =
    allowed === null
      ? 'The type of this file is not accepted.'
      : `must be, and be declared as, one of: ${allowed.join(', ')}`;
  const types: MediaType[] = [];
  const issues: { pointer: string; code: string; detail: string }[] = [];
  for (const file of files) {
    const type = await judgeFile(file, allowed);
    if (type !== null) types.push(type);
    else
      issues.push({
        pointer: pointerOf([file.field]),
        code: 'UPL_TYPE_REFUSED',
        detail: wanted,
      });
  }
  if (issues.length > 0) throw fault('UPL_TYPE_REFUSED', {}, { issues });
  return types;
}

interface Stored {
  readonly key: string;
  readonly name: string;
  readonly file: UploadedFile;
  readonly type: MediaType;
}

function described(file: UploadedFile, type: MediaType | undefined, folder: string): Stored {
  if (type === undefined) throw fault('UPL_TYPE_REFUSED');
  const name = newName(type.extension);
  return { key: keyIn(folder, name), name, file, type };
}

/** `kept`: other work was committed and may refer to the files. */
async function takeBack(store: Storage, log: Log, keys: readonly string[], kept: boolean): Promise<void> {
  if (kept) {
    log.warn({ keys }, 'the request failed after its files were stored and something else was done; they stay');
    return;
  }
  try {
    await store.remove(keys);
  } catch (error) {
    if (store.discard !== undefined) return store.discard(keys);
    log.error({ keys, err: error }, 'the request failed, and its files could not be removed');
  }
}

function removing(store: Storage, folder: Reader<string>, written: string | null, outputs: Outputs | null): ModePlan {
  const remove = async (frame: Frame): Promise<unknown> => {
    const base = folder(frame);
    const keys: unknown = frame.payload;
    if (base === '' || !Array.isArray(keys) || keys.length > MAX_KEYS) throw fault('UPL_KEY', { max: MAX_KEYS });
    if (outputs !== null && keys.length !== 1) throw fault('UPL_SEVERAL');
    const foreign = keys.flatMap((key, index) => (isInside(base, key) ? [] : index));
    if (foreign.length > 0) {
      const detail = 'This is no key of a file here.';
      const issues = foreign.map((index) => ({ pointer: `/${index}`, code: 'UPL_KEY', detail }));
      throw fault('UPL_KEY', { max: MAX_KEYS }, { issues });
    }
    const inside = [...new Set(keys as string[])];
    if (inside.length > 0) await store.remove(inside);
    const results = inside.map((key) => ({ storage_key: key, deleted: true }));
    const [only] = results;
    if (only !== undefined) outputs?.give(frame, only);
    return results;
  };
  return { execute: remove, takesList: true, needsList: true, describe: { remove: { folder: written ?? '' } } };
}
