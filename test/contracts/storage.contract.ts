/**
 * Contract of storages, on a real store and over real HTTP: bytes are unchanged, URLs expire in time, nothing is half
 * stored, and an unavailable store is reported soon.
 */
import { expect } from 'chai';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../contract/fault.js';
import type { Storable, Storage } from '../../plugins/storages/kind.js';
import { isStorageKey } from '../../plugins/storages/shared/key.light.js';
import { PDF, PNG, SVG } from '../support/file-bytes.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

export const MIB = 1024 * 1024;

/** One open store, empty at first. */
export interface StorageSubject {
  readonly storage: Storage;
  /** The URL as a client requests it. */
  readonly read: (url: string) => Promise<Response>;
  /** Keys of everything in the store, whole or not. */
  readonly listStoredKeys: () => Promise<readonly string[]>;
  /** Makes the store unavailable, and available again. */
  readonly leave: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StorageBackend {
  readonly name: string;
  /** Bytes of files at which the store does something else than with fewer. */
  readonly sizes: readonly number[];
  readonly open: () => Promise<ServerOrSkip<StorageSubject>>;
}

/** Of a promise that must reject with a Fault. */
export async function expectStorageFault(work: Promise<unknown>): Promise<Fault> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).to.be.instanceOf(Fault);
  return failure as Fault;
}

/** Files on the disk that are to be stored. */
export async function createFileMaker(): Promise<{
  /** Readable at addresses that end. */
  readonly make: (bytes: Buffer, type?: string) => Promise<Storable & { readonly signed: true }>;
  readonly dispose: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  return {
    make: async (bytes, type = 'application/octet-stream') => {
      const path = join(folder, randomUUID());
      await writeFile(path, bytes);
      return { path, size: bytes.length, type, signed: true };
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The address with one character of its key or signature changed. */
function tamperUrl(url: string): string[] {
  const replaceCharacter = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
  const query = url.indexOf('?');
  return [replaceCharacter(url, query - 6), replaceCharacter(url, url.length - 1), url.slice(0, query)];
}

export function storageContract({ name, sizes, open }: StorageBackend): void {
  describe(`storage ${name}`, function () {
    let subject!: StorageSubject;
    let files!: Awaited<ReturnType<typeof createFileMaker>>;
    before(async function () {
      const found = await open();
      if ('skip' in found) return skipTest(this, found.skip);
      subject = found;
      files = await createFileMaker();
    });
    after(async () => {
      await subject?.close();
      await files?.dispose();
    });
    const bytesAt = async (key: string): Promise<Buffer> => {
      const answer = await subject.read(await subject.storage.url(key, 60));
      expect(answer.status, key).to.equal(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    const newKey = (): string => `contract/${randomUUID()}.bin`;

    for (const size of [0, 1, 255 * 1024, ...sizes]) {
      it(`restores ${size} bytes unchanged`, async () => {
        const bytes = randomBytes(size);
        const key = newKey();
        await subject.storage.put(key, await files.make(bytes));
        expect((await bytesAt(key)).equals(bytes)).to.equal(true);
        await subject.storage.remove([key]);
      });
    }

    it('serves an object with its type, and what could run scripts as a download', async () => {
      for (const [type, extension, how, content] of [
        ['image/png', 'png', 'inline', PNG],
        ['text/html', 'html', 'attachment', Buffer.from('<script>1</script>')],
        ['image/svg+xml', 'svg', 'attachment', SVG],
        ['application/pdf', 'pdf', 'attachment', PDF],
      ] as const) {
        const key = newKey().replace('bin', extension);
        await subject.storage.put(key, await files.make(content, type));
        const answer = await subject.read(await subject.storage.url(key, 60));
        expect(answer.headers.get('content-type')?.split(';')[0]).to.equal(type);
        expect(answer.headers.get('content-disposition')).to.equal(how);
      }
    });

    it('returns URLs without an expiry, too', async () => {
      const key = newKey();
      const { signed: _signed, ...plain } = await files.make(Buffer.from('for long'));
      await subject.storage.put(key, plain);
      const answer = await subject.read(await subject.storage.url(key, null));
      expect([answer.status, await answer.text()]).to.deep.equal([200, 'for long']);
      await subject.storage.remove([key]);
      expect(await subject.listStoredKeys()).not.to.include(key);
    });

    it('rejects a URL after its expiry', async () => {
      const key = newKey();
      await subject.storage.put(key, await files.make(Buffer.from('soon gone')));
      const url = await subject.storage.url(key, 2);
      expect((await subject.read(url)).status).to.equal(200);
      await waitUntil(async () => (await subject.read(url)).status !== 200);
      const rejected = await subject.read(url);
      expect(rejected.status).to.be.oneOf([401, 403, 404, 410]);
      expect(await rejected.text()).not.to.contain('soon gone');
    });

    it('rejects a URL that was changed', async () => {
      const key = newKey();
      await subject.storage.put(key, await files.make(Buffer.from('not for you')));
      for (const url of tamperUrl(await subject.storage.url(key, 60))) {
        const rejected = await subject.read(url);
        expect(rejected.status, url).to.be.oneOf([400, 401, 403, 404]);
        expect(await rejected.text()).not.to.contain('not for you');
      }
    });

    it('rejects any other key, without an effect', async () => {
      const file = await files.make(Buffer.from('x'));
      const before = await subject.listStoredKeys();
      for (const key of [
        '',
        '/',
        'a//b',
        '../a',
        'a/../b',
        '/a',
        'a/',
        '.a',
        'a.b.c',
        'ä',
        'a b',
        'a%2fb',
        `${'k'.repeat(129)}`,
      ]) {
        await expectStorageFault(subject.storage.put(key, file));
        await subject.storage.remove([key]);
      }
      expect(await subject.listStoredKeys()).to.deep.equal(before);
    });

    it('accepts every key that an upload creates', async () => {
      const name = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-0123456789';
      for (const key of [
        `${name}.jpeg`,
        `${name}/${name}/${name}.mp3`,
        '_a/-b/0',
        `${'x/'.repeat(16)}${'k'.repeat(128)}`,
      ]) {
        expect(isStorageKey(key), key).to.equal(true);
        await subject.storage.put(key, await files.make(Buffer.from(key)));
        expect(String(await bytesAt(key))).to.equal(key);
        await subject.storage.remove([key]);
        expect((await subject.read(await subject.storage.url(key, 60))).status).to.equal(404);
      }
    });

    it('never replaces an object by another', async () => {
      for (const size of [10, 9 * MIB]) {
        const key = newKey();
        const [first, second] = [randomBytes(size), randomBytes(size)];
        await subject.storage.put(key, await files.make(first));
        await expectStorageFault(subject.storage.put(key, await files.make(second)));
        expect((await bytesAt(key)).equals(first), String(size)).to.equal(true);
      }
    });

    it('removes only the named files; a missing file is not an error', async () => {
      const keys = [newKey(), newKey(), newKey()];
      for (const key of keys) await subject.storage.put(key, await files.make(Buffer.from(key)));
      await subject.storage.remove([]);
      await subject.storage.remove([keys[0]!, newKey(), keys[1]!]);
      await subject.storage.remove([keys[0]!]);
      const left = await subject.listStoredKeys();
      expect(keys.map((key) => left.includes(key))).to.deep.equal([false, false, true]);
    });

    it('stores fifty files at once, unchanged', async () => {
      const all = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const bytes = randomBytes(n * 5000);
          return { key: newKey(), bytes, file: await files.make(bytes) };
        }),
      );
      await Promise.all(all.map(({ key, file }) => subject.storage.put(key, file)));
      for (const { key, bytes } of all) expect((await bytesAt(key)).equals(bytes), key).to.equal(true);
      await subject.storage.remove(all.map(({ key }) => key));
      const left = await subject.listStoredKeys();
      expect(all.filter(({ key }) => left.includes(key))).to.deep.equal([]);
    });

    it('stores nothing of a missing file', async () => {
      const key = newKey();
      const gone = { path: join(tmpdir(), randomUUID()), size: 9 * MIB, type: 'image/png' };
      await expectStorageFault(subject.storage.put(key, gone));
      await expectStorageFault(subject.storage.put(key, { ...gone, size: 10 }));
      await waitUntil(async () => !(await subject.listStoredKeys()).includes(key));
    });

    it('reports soon that it is unavailable, and works when it is available again', async () => {
      const file = await files.make(Buffer.from('later'));
      const key = newKey();
      await subject.leave();
      const elapsed = startStopwatch();
      for (const { code, options } of await Promise.all(
        [key, newKey()].map((one) => expectStorageFault(subject.storage.put(one, file))),
      )) {
        expect([code, options.retryable]).to.deep.equal(['STO_AWAY', true]);
        expect(options.headers?.['retry-after']).to.match(/^[1-9]\d?$/);
      }
      expect((await expectStorageFault(subject.storage.remove([key]))).code).to.equal('STO_AWAY');
      expect(elapsed()).to.be.lessThan(5000);
      await subject.comeBack();
      await waitUntil(() =>
        subject.storage.put(newKey(), file).then(
          () => true,
          () => false,
        ),
      );
    });
  });
}
