/** Runtime of the storage `local-disk`: opens the folder, stores and removes files, serves `/files/`. */
import { resolve } from 'node:path';
import { createFault, Fault } from '../../../contract/fault.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { storage, type Storage } from '../kind.js';
import { openFolder, type Folder } from './folder.js';
import { serveFrom } from './serve.js';
import { createSignedQuery } from './signature.js';

interface LocalStorage extends Storage {
  /** Null until it is open. */
  opened: Folder | null;
}

const MOST_SHOWN = 200;

const readOption = ({ options }: Pick<RuntimeContext, 'options'>, name: string, other: string): string => {
  const value = options[name];
  return typeof value === 'string' ? value : other;
};

const resolveFolderPath = (context: Pick<RuntimeContext, 'options' | 'folder'>): string =>
  resolve(context.folder, readOption(context, 'path', '.lintel/files'));

const toUnavailableFault = (cause: unknown): Fault =>
  cause instanceof Fault
    ? cause
    : createFault('STO_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '5' } });

function requireFolder(folder: Folder | null): Folder {
  if (folder === null) throw toUnavailableFault(new Error('the folder is not open'));
  return folder;
}

async function runGuarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toUnavailableFault(error);
  }
}

export default defineRuntime<Storage, LocalStorage>(storage, {
  register(hooks, _, handle) {
    hooks.route({
      path: '/files/',
      methods: ['GET'],
      handle: (request) => runGuarded(() => serveFrom(requireFolder(handle().opened), request)),
    });
  },
  create(context) {
    const base = readOption(context, 'url', '/files').replace(/\/+$/, '');
    const handle: LocalStorage = {
      opened: null,
      put: (key, file) => runGuarded(() => requireFolder(handle.opened).put(key, file)),
      url: (key, seconds) => {
        const plain = `${base}/${key}`;
        if (seconds === null) return plain;
        const expires = Math.floor(Date.now() / 1000) + seconds;
        return `${plain}?${createSignedQuery(requireFolder(handle.opened).secret, key, expires)}`;
      },
      remove: (keys) => runGuarded(() => requireFolder(handle.opened).remove(keys)),
    };
    return handle;
  },
  // Files exist before and after their rows, so backups need not pause writes.
  describeStorage: (context) => ({ folder: resolveFolderPath(context), without: ['incoming'] }),
  async open(handle, context) {
    handle.opened = await openFolder(resolveFolderPath(context));
  },
  createConsolePane: (handle) => ({
    title: 'Files',
    read: async () => ({
      files: (await requireFolder(handle.opened).listFiles(MOST_SHOWN)).map((file) => ({ ...file })),
    }),
  }),
  openTestStore: ({ opened: folder }) => ({
    reset: () => runGuarded(() => requireFolder(folder).removeAll()),
    insertFiles: (files) => runGuarded(() => requireFolder(folder).writeAll(files)),
    readFiles: () => runGuarded(() => requireFolder(folder).readAll()),
  }),
  async health({ opened: folder }) {
    if (folder === null) return { ok: false, detail: 'not open' };
    return (await folder.isWritable()) ? { ok: true } : { ok: false, detail: 'the upload folder is not writable' };
  },
});
