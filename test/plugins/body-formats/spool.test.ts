/**
 * Folder of uploaded files: private, cleaned after dead processes, and 503 where it cannot be created. Forms of a body
 * that a guard has read.
 */
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import type { BodyInput } from '../../../contract/body-format.js';
import { readForm } from '../../../plugins/body-formats/multipart-form/form.js';
import { spoolStream, openSpoolFolder, removeStaleSpools } from '../../../plugins/body-formats/multipart-form/spool.js';
import { FORM_TYPE, PNG_RED, createRawForm } from '../../support/pictures.js';
import { listOpenTempFiles, waitUntilNoTempFiles } from '../../support/temp-files.js';
import { waitUntil } from '../../support/until.js';

describe('upload spool', () => {
  it('is a folder readable by its user only', async () => {
    const folder = await openSpoolFolder();
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    expect(await openSpoolFolder()).to.equal(folder);
  });

  it('is created again after the temporary folder was cleaned', async () => {
    const folder = await openSpoolFolder();
    await rm(folder, { recursive: true });
    const again = await openSpoolFolder();
    expect(again).not.to.equal(folder);
    expect(existsSync(again)).to.equal(true);
  });

  it('removes the files of dead processes, and nothing else', async () => {
    const place = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    const own = basename(await openSpoolFolder());
    const host = own.split('-')[2] ?? '';
    const names = {
      dead: `lintel-files-${host}-4194304-abcdef`,
      living: `lintel-files-${host}-${process.ppid}-abcdef`,
      own: `lintel-files-${host}-${process.pid}-abcdef`,
      elsewhere: 'lintel-files-00000000-4194304-abcdef',
      other: 'lintel-files-of-somebody',
    };
    for (const name of Object.values(names)) {
      await mkdir(join(place, name));
      await writeFile(join(place, name, 'x'), 'x');
    }
    await removeStaleSpools(place);
    expect(
      Object.entries(names).flatMap(([title, name]) => (existsSync(join(place, name)) ? title : [])),
    ).to.deep.equal(['living', 'own', 'elsewhere', 'other']);
    await removeStaleSpools(join(place, 'nowhere'));
    await rm(place, { recursive: true });
  });

  it('closes a file whose sender fails before it reports the failure, so the file cannot appear after its removal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    const stream = new PassThrough();
    const failed = spoolStream(stream, join(folder, 'x')).catch((error: unknown) => (error as Error).message);
    stream.destroy(new Error('the sender left'));
    expect(await failed).to.equal('the sender left');
    expect(await listOpenTempFiles(folder)).to.deep.equal([]);
    await rm(folder, { recursive: true });
  });

  const held: (() => void | Promise<void>)[] = [];
  const settings: BodyInput = {
    bytes: null,
    files: { count: 2, bytes: 1000 },
    limits: { body: 10_000, parts: 5, field: 100 },
    idle: 1,
    onFinish: (work) => held.push(work),
  };
  const body = createRawForm([
    { headers: 'content-disposition: form-data; name="a"', content: '1' },
    {
      headers: 'content-disposition: form-data; name="f"; filename="a.png"\r\ncontent-type: image/png',
      content: PNG_RED,
    },
  ]);
  const read = (bytes: Buffer, files = settings.files) => {
    const req = { headers: { 'content-type': FORM_TYPE } } as unknown as IncomingMessage;
    return readForm(req, { ...settings, bytes, files });
  };
  const catchCode = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof Fault ? error.code : error),
    );

  it('takes over the files of a body that a guard has already read', async () => {
    const { payload, files } = await read(body);
    expect(payload).to.deep.equal(Object.assign(Object.create(null), { a: '1' }));
    expect(Object.getPrototypeOf(payload)).to.equal(null);
    const [{ path = '', head = Buffer.alloc(0), ...rest } = {}] = files;
    expect(rest).to.deep.equal({ field: 'f', originalName: 'a.png', declaredType: 'image/png', size: PNG_RED.length });
    expect(await readFile(path)).to.deep.equal(PNG_RED);
    expect(Buffer.from(head)).to.deep.equal(PNG_RED);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    for (const work of held.splice(0)) await work();
    expect(existsSync(path)).to.equal(false);
    expect(existsSync(dirname(path))).to.equal(true);
  });

  it('still rejects an invalid body of this kind', async () => {
    expect(await catchCode(read(body.subarray(0, -9)))).to.equal('REQ_FORM');
    expect(await catchCode(read(body, null))).to.equal('REQ_NO_FILES');
    expect(await catchCode(read(body, { count: 2, bytes: 10 }))).to.equal('REQ_PART');
    await waitUntilNoTempFiles();
  });

  it('returns 503 when a file can no longer be written, whatever the form contains', async () => {
    const source = new PassThrough();
    const req = Object.assign(source, { headers: { 'content-type': FORM_TYPE } }) as unknown as IncomingMessage;
    const reading = catchCode(readForm(req, settings));
    await waitUntil(() => Promise.resolve(source.listenerCount('data') > 0), 'the body is listened to');
    await rm(await openSpoolFolder(), { recursive: true });
    source.end(body);
    expect(await reading).to.equal('REQ_NO_ROOM');
  });

  it('returns 503 if there is no space for files', async () => {
    const before = process.env['TMPDIR'];
    await rm(await openSpoolFolder(), { recursive: true });
    process.env['TMPDIR'] = '/nonexistent';
    const code = await catchCode(read(body));
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    expect(code).to.equal('REQ_NO_ROOM');
    expect((await read(body)).files).to.have.length(1);
    for (const work of held.splice(0)) await work();
  });
});
