/** The mode UPLOAD and its own limits: a request may have passed larger ones, for other actionables of the resource allow more. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, ModePlan, Outputs, Payload, UploadedFile } from '../../../contract/plan.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Storable, Storage } from '../../../plugins/storages/kind.js';
import upload from '../../../plugins/modes/upload/runtime.js';
import { createTestInvocation } from '../../support/invocation.js';
import { PNG_RED } from '../../support/pictures.js';

describe('limits of the mode UPLOAD', () => {
  let folder = '';
  let stored: string[] = [];
  let removed: string[] = [];
  let removals = 0;
  let reads: (string | null)[] = [];
  let sent: Storable[] = [];
  /** The names that later actionables read from its one file, and their values. */
  let outputs: Outputs | null = null;
  let given: unknown[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    await writeFile(join(folder, 'a'), PNG_RED);
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(() => {
    stored = [];
    removed = [];
    removals = 0;
    reads = [];
    sent = [];
    outputs = null;
    given = [];
  });
  const takes = (...names: string[]): Outputs => ({
    names,
    assignItem: (_frame, item) => void given.push(names.map((name) => item[name])),
  });

  const store: Storage = {
    put(key, file) {
      stored.push(key);
      sent.push(file);
      return Promise.resolve();
    },
    url: (key, seconds) => `/files/${key} for ${seconds}`,
    async remove(keys) {
      removals++;
      await new Promise((resolve) => setImmediate(resolve));
      removed.push(...keys);
    },
  };
  function plan(uploads: Record<string, Json>): ModePlan {
    const resolve = (): unknown => store;
    const { plan: make } = upload.create!({ resolve } as unknown as RuntimeContext) as {
      plan: (...place: unknown[]) => ModePlan;
    };
    const tools = {
      action: () => 0,
      root: {},
      value: () => () => '',
      recordPayloadRead: (field: string | null) => void reads.push(field),
      outputs: () => outputs,
    };
    return make({ id: 1, mode: 'UPLOAD', uploads, returnables: ['url'] }, '', tools);
  }
  const file = (size: number, field: string, declaredType = 'image/png'): UploadedFile => ({
    ...{ field, declaredType, size, originalName: 'a.png', head: PNG_RED, path: join(folder, 'a') },
  });
  async function run(uploads: Record<string, Json>, files: readonly UploadedFile[], payload: unknown = {}) {
    const invocation = createTestInvocation({}, { files });
    const frame = { invocation, payload: payload as Payload, committedTo: -1 } as unknown as Frame;
    return (await plan(uploads).execute(frame)) as readonly unknown[];
  }
  async function catchFault(work: Promise<unknown>): Promise<Fault> {
    const failure: unknown = await work.then(
      () => expect.fail('there was no fault'),
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(Fault);
    expect(stored).to.deep.equal([]);
    return failure as Fault;
  }
  const files = (count: number): UploadedFile[] => Array.from({ length: count }, (_, n) => file(10, `f${n}`));

  for (const [most, uploads] of [
    [5, {}],
    [2, { max_file_uploads: 2 }],
    [1, { max_file_uploads: 1 }],
  ] as const)
    it(`accept ${most} files with ${JSON.stringify(uploads)}, and reject one more before any is stored`, async () => {
      expect(await run(uploads, files(most))).to.have.length(most);
      expect(stored).to.have.length(most);
      stored = [];
      const { code, params } = await catchFault(run(uploads, files(most + 1)));
      expect([code, params['max']]).to.deep.equal(['REQ_TOO_COMPLEX', most]);
    });

  for (const [most, uploads] of [
    [10_485_760, {}],
    [1000, { max_upload_file_size: 1000 }],
  ] as const)
    it(`accept a file of ${most} bytes with ${JSON.stringify(uploads)}, and reject a byte more before any is stored`, async () => {
      expect(await run(uploads, [file(most, 'f')])).to.have.length(1);
      stored = [];
      const { code, params } = await catchFault(run(uploads, [file(10, 'small'), file(most + 1, 'large')]));
      expect([code, params]).to.deep.equal(['REQ_PART', { name: 'large', max: most }]);
    });

  it('store files with their size and type, and a signed URL that expires', async () => {
    const [open] = await run({ upload_folder: 'here' }, [file(10, 'f')]);
    const [signed] = await run({ upload_folder: 'here', expiration: 60 }, [file(10, 'f')]);
    const common = { path: join(folder, 'a'), size: 10, type: 'image/png' };
    expect(sent).to.deep.equal([common, { ...common, signed: true }]);
    const described = (key = '', seconds: number | null) => ({
      ...{ storage_key: key, url: `/files/${key} for ${seconds}`, dominant_color: null, file_size: 10 },
      ...{ original_file_name: 'a.png', new_file_name: key.slice(5), file_type: 'image/png', extension: 'png' },
    });
    expect([open, signed]).to.deep.equal([described(stored[0], null), described(stored[1], 60)]);
    expect(stored[0]).to.match(/^here\/[0-9a-f-]{36}\.png$/);
  });

  it('allow every type without a list, and name the listed ones for a file of another type', async () => {
    const text = file(10, 'f', 'text/plain');
    const plain: UploadedFile = { ...text, head: Buffer.from('plain text'), size: 10 };
    expect(await run({}, [plain])).to.have.length(1);
    stored = [];
    const { options } = await catchFault(run({ allowed_mimetypes: ['Image/PNG', 'image/jpg'] }, [plain]));
    expect(options.issues?.[0]?.detail).to.contain('image/png, image/jpeg');
    expect((await catchFault(run({}, [text]))).options.issues?.[0]?.detail).not.to.contain('one of');
  });

  it('apply to a request, and are shown in the plan', () => {
    const any = plan({});
    expect([any.files, any.describe]).to.deep.equal([
      { count: 5, bytes: 10_485_760 },
      { upload: { files: 5, bytes: 10_485_760, types: 'any', folder: '' } },
    ]);
    const limits = { max_file_uploads: 2, max_upload_file_size: 10 };
    const some = plan({ ...limits, allowed_mimetypes: ['image/png'], upload_folder: 'here' });
    expect([some.files, some.describe]).to.deep.equal([
      { count: 2, bytes: 10 },
      { upload: { files: 2, bytes: 10, types: ['image/png'], folder: 'here' } },
    ]);
    expect(plan({ delete_files: true, upload_folder: 'here' }).describe).to.deep.equal({ remove: { folder: 'here' } });
    expect(plan({ delete_files: true }).describe).to.deep.equal({ remove: { folder: '' } });
  });

  it('reject a request without a file', async () => {
    expect((await catchFault(run({}, []))).code).to.equal('UPL_NO_FILE');
  });

  it('name every file whose type is not allowed, and store none of the others', async () => {
    const sent = [file(10, 'one', 'text/plain'), file(10, 'two'), file(10, 'three', 'image/jpeg')];
    const { code, options } = await catchFault(run({ allowed_mimetypes: ['image/png'] }, sent));
    expect(code).to.equal('UPL_TYPE_REFUSED');
    expect(options.issues?.map(({ pointer }) => pointer)).to.deep.equal(['/one', '/three']);
  });

  it('return what is read by name of the one file, and reject others before any is stored', async () => {
    outputs = takes('storage_key', 'file_size');
    expect(await run({}, files(1))).to.have.length(1);
    expect(given).to.deep.equal([[stored[0], 10]]);
    [stored, given] = [[], []];
    const { code, options } = await catchFault(run({}, files(3)));
    expect(code).to.equal('UPL_SEVERAL');
    expect(options.issues?.map(({ pointer }) => pointer)).to.deep.equal(['/f1', '/f2']);
    expect((await catchFault(run({}, []))).code).to.equal('UPL_NO_FILE');
    expect((await catchFault(run({}, files(6)))).code).to.equal('REQ_TOO_COMPLEX');
    expect(given).to.deep.equal([]);
  });

  it('return what is read by name of the one file that is removed, and remove no others', async () => {
    outputs = takes('storage_key', 'deleted');
    const uploads = { upload_folder: 'here', delete_files: true };
    for (const keys of [[], ['here/1.png', 'here/2.png']])
      expect((await catchFault(run(uploads, [], keys))).code).to.equal('UPL_SEVERAL');
    expect((await catchFault(run(uploads, [], ['there/1.png']))).code).to.equal('UPL_KEY');
    expect([removed, given]).to.deep.equal([[], []]);
    expect(await run(uploads, [], ['here/1.png'])).to.have.length(1);
    expect([removed, given]).to.deep.equal([['here/1.png'], [['here/1.png', true]]]);
  });

  it('allow the removal of 1000 files of its folder, each once, and of none if one key is elsewhere', async () => {
    const uploads = { upload_folder: 'here', delete_files: true };
    const keys = (count: number): string[] => Array.from({ length: count }, (_, n) => `here/${n}.png`);
    expect(await run(uploads, [], keys(1000))).to.have.length(1000);
    expect(removed).to.have.length(1000);
    removed = [];
    for (const payload of [keys(1001), {}, 'here/1.png', null])
      expect((await catchFault(run(uploads, [], payload))).code).to.equal('UPL_KEY');
    for (const key of ['there/1.png', 'here', 'hereafter/1.png', 'here/../there/1.png', '', 7]) {
      const { options } = await catchFault(run(uploads, [], ['here/1.png', key]));
      expect(
        options.issues?.map(({ pointer }) => pointer),
        String(key),
      ).to.deep.equal(['/1']);
    }
    expect(removed).to.deep.equal([]);
    expect(await run(uploads, [], ['here/1.png', 'here/1.png'])).to.have.length(1);
    expect(removed).to.deep.equal(['here/1.png']);
    removals = 0;
    expect(await run(uploads, [], [])).to.deep.equal([]);
    expect(removals).to.equal(0);
    expect(await run(uploads, [], ['here/2.png'])).to.deep.equal([{ storage_key: 'here/2.png', deleted: true }]);
    reads = [];
    expect(plan(uploads)).to.include({ takesList: true, needsList: true });
    expect(reads, 'answers depend on the whole payload').to.deep.equal([null]);
    expect((await catchFault(run({ delete_files: true }, [], ['here/1.png']))).code).to.equal('UPL_KEY');
  });
});
