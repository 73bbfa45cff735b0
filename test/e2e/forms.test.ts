/** Forms at the HTTP layer: the resulting payload, rejections and their status, and that no files remain. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { openSpoolFolder } from '../../plugins/body-formats/multipart-form/spool.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { sendAndClose, formatRequestHead, parseRaw } from '../support/client.js';
import { defineReturnResource } from '../support/project.js';
import { BOUNDARY, FORM_TYPE, createFormData, PNG_RED, createRawForm } from '../support/pictures.js';
import { listTempFiles, waitUntilNoTempFiles } from '../support/temp-files.js';
import { waitUntil } from '../support/until.js';

const uploads = { max_file_uploads: 2, max_upload_file_size: 2000, allowed_mimetypes: ['image/png', 'text/plain'] };

const DEFINITIONS = [
  defineReturnResource('echo', '$PAYLOAD'),
  {
    id: 'ruled',
    resource: 'ruled',
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        value: '$PAYLOAD.age',
        payload_validation: [{ field: { age: { type: 'NUMBER' } } }],
      },
    ],
  },
  { id: 'up', resource: 'up', actionables: [{ id: 1, mode: 'UPLOAD', uploads }] },
  {
    id: 'guarded',
    resource: 'guarded',
    tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
    protected: {},
    actionables: [{ id: 1, mode: 'UPLOAD', uploads }],
  },
];

const text = (name: string, content: string | Buffer) => ({
  headers: `content-disposition: form-data; name="${name}"`,
  content,
});
const file = (name: string, content: string | Buffer = PNG_RED, type = 'image/png') => ({
  headers: `content-disposition: form-data; name="${name}"; filename="a.png"\r\ncontent-type: ${type}`,
  content,
});

describe('forms', () => {
  let kernel!: TestKernel;
  let left = '';
  before(async () => {
    // As a process would have left it that died: no process has so high a number.
    left = join(tmpdir(), basename(await openSpoolFolder()).replace(/-\d+-\w+$/, '-4194304-abcdef'));
    await mkdir(left, { recursive: true });
    kernel = await startKernel({
      files: { 'definitions/a.json': DEFINITIONS },
      config: { http: { limits: { parts: 6, field: 1000, body: 20_000 }, timeouts: { idle: 1 } } },
      env: { KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ' },
    });
  });
  after(() => kernel.close());
  afterEach(() => waitUntilNoTempFiles());

  const send = (path: string, body: Buffer, type = FORM_TYPE) =>
    kernel.post(path, body, { headers: { 'content-type': type } });
  const expectRejected = async (
    status: number,
    code: string,
    path: string,
    body: Buffer,
    type?: string,
  ): Promise<void> => {
    const answer = await send(path, body, type);
    expect([answer.status, answer.body['code']], answer.text).to.deep.equal([status, code]);
    expect(answer.headers.get('content-type')).to.match(/^application\/problem\+json/);
  };

  it('of killed processes have their files removed when another process serves', () =>
    waitUntil(() => !existsSync(left), 'the folder of the dead process is gone'));

  describe('texts', () => {
    it('are the payload, in any order', async () => {
      const { body, status } = await send('/echo', createRawForm([text('b', '2'), text('a', 'Grüße 😀')]));
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ b: '2', a: 'Grüße 😀' });
    });

    it('become a list if their name is repeated', async () => {
      const { body } = await send(
        '/echo',
        createRawForm([text('a', '1'), text('b', ''), text('a', '2'), text('a', '3')]),
      );
      expect(body).to.deep.equal({ a: ['1', '2', '3'], b: '' });
    });

    it('are converted to numbers if a rule requires one', async () => {
      expect(
        (await kernel.request('POST', '/ruled', { body: createFormData([{ name: 'age', content: '42' }]) })).body,
      ).to.equal(42);
      await expectRejected(422, 'VAL_PAYLOAD', '/ruled', createRawForm([text('age', 'old')]));
    });

    it('keep names flat, whatever brackets, dots and indexes are in them', async () => {
      const names = ['a[b]', 'a[b][c]', 'list[]', 'list[999999999]', 'a.b', `${'[a]'.repeat(60)}`];
      const { body } = await send('/echo', createRawForm(names.map((name) => text(name, 'x'))));
      expect(Object.keys(body)).to.deep.equal(names);
    });

    for (const name of ['__proto__', 'constructor', 'prototype']) {
      it(`may not be called ${name}`, () =>
        expectRejected(400, 'REQ_NAME_REFUSED', '/echo', createRawForm([text(name, '1')])));
    }

    it('with the name of an inherited member are ordinary', async () => {
      const { body } = await send(
        '/echo',
        createRawForm([text('toString', '1'), text('toString', '2'), text('valueOf', '3')]),
      );
      expect(body).to.deep.equal({ toString: ['1', '2'], valueOf: '3' });
    });

    it('must be UTF-8, and so must names', async () => {
      await expectRejected(400, 'REQ_FORM', '/echo', createRawForm([text('a', Buffer.from([0xc3, 0x28]))]));
      const name = Buffer.concat([
        Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="`),
        Buffer.from([0xff]),
      ]);
      await expectRejected(
        400,
        'REQ_FORM',
        '/echo',
        Buffer.concat([name, Buffer.from(`"\r\n\r\n1\r\n--${BOUNDARY}--\r\n`)]),
      );
    });

    it('are accepted empty, as an empty payload', async () => {
      expect((await send('/echo', Buffer.from(`--${BOUNDARY}--\r\n`))).body).to.deep.equal({});
    });
  });

  describe('limits', () => {
    it('of the number of parts: all that are allowed pass, one more is rejected', async () => {
      const parts = Array.from({ length: 7 }, (_, index) => text(`p${index}`, '1'));
      expect((await send('/echo', createRawForm(parts.slice(0, 6)))).status).to.equal(200);
      await expectRejected(413, 'REQ_TOO_COMPLEX', '/echo', createRawForm(parts));
    });

    it('of the length of a text', async () => {
      expect((await send('/echo', createRawForm([text('a', 'x'.repeat(1000))]))).status).to.equal(200);
      await expectRejected(413, 'REQ_PART', '/echo', createRawForm([text('a', 'x'.repeat(1001))]));
    });

    it('of the bytes of a name, also if a character has several', async () => {
      expect((await send('/echo', createRawForm([text('ü'.repeat(100), '')]))).status).to.equal(200);
      await expectRejected(413, 'REQ_TOO_COMPLEX', '/echo', createRawForm([text('ü'.repeat(101), '')]));
      expect((await send('/echo', createRawForm([text('n'.repeat(200), '')]))).status).to.equal(200);
      await expectRejected(413, 'REQ_TOO_COMPLEX', '/echo', createRawForm([text('n'.repeat(201), '')]));
    });

    it('of the number of files', async () => {
      expect((await send('/up', createRawForm([file('a'), file('b')]))).status).to.equal(200);
      await expectRejected(413, 'REQ_TOO_COMPLEX', '/up', createRawForm([file('a'), file('b'), file('c')]));
    });

    it('of the size of a file', async () => {
      const sized = (size: number) => createRawForm([file('a', 'x'.repeat(size), 'text/plain')]);
      expect((await send('/up', sized(2000))).status).to.equal(200);
      await expectRejected(413, 'REQ_PART', '/up', sized(2001));
    });

    it('of the whole body, by its length and without one', async () => {
      await expectRejected(413, 'REQ_TOO_LARGE', '/echo', Buffer.alloc(20_001, 0x2d));
      const chunked = formatRequestHead('POST', '/echo', { 'content-type': FORM_TYPE, 'transfer-encoding': 'chunked' });
      const answer = parseRaw(await kernel.raw([chunked, '4e21\r\n', Buffer.alloc(0x4e21, 0x2d)]));
      expect(answer.status).to.equal(413);
      expect(answer.head).to.contain('connection: close');
    });

    it('close the connection without reading further', async () => {
      const body = createRawForm([file('a', 'x'.repeat(3000), 'text/plain')]);
      const request = formatRequestHead('POST', '/up', { 'content-type': FORM_TYPE, 'content-length': 15_000 });
      // The rest is never sent; `raw` ends only when the server closes.
      const answer = parseRaw(await kernel.raw([request, body.subarray(0, 2900)]));
      expect(answer.status).to.equal(413);
      expect(answer.head).to.contain('connection: close');
    });
  });

  describe('invalid forms', () => {
    const cases: Readonly<Record<string, Buffer>> = {
      'no end': createRawForm([text('a', '1')]).subarray(0, -6),
      'nothing at all': Buffer.from('nothing'),
      'an empty field name': createRawForm([text('', '1')]),
      'no field name': createRawForm([{ headers: 'content-disposition: form-data', content: '1' }]),
      'a file without a field name': createRawForm([
        { headers: 'content-disposition: form-data; filename="a.png"', content: 'x' },
      ]),
      'a bare CR in a name': createRawForm([text('a\rb', '1')]),
      'a bare LF in a name': createRawForm([text('a\nb', '1')]),
      'an escaped CR LF in a name': createRawForm([text('a%0D%0Ab', '1')]),
      'a NUL in a name': createRawForm([text('a\0b', '1')]),
      'a file that is named ..': createRawForm([
        { headers: 'content-disposition: form-data; name="a"; filename=".."', content: 'x' },
      ]),
      'headers without an end': Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\n`),
      'headers of a part beyond 16 KiB': createRawForm([
        { headers: `${text('a', '').headers}\r\nx: ${'y'.repeat(17_000)}`, content: '' },
      ]),
      'an escaped line break in the name of a file': createRawForm([
        { headers: 'content-disposition: form-data; name="a"; filename="a%0Ab.png"', content: 'x' },
      ]),
    };
    for (const [title, body] of Object.entries(cases)) {
      it(`is rejected: ${title}`, async () => {
        await expectRejected(400, 'REQ_FORM', '/up', body);
        expect((await send('/up', createRawForm([file('a')]))).status, 'the next request').to.equal(200);
      });
    }

    const types: Readonly<Record<string, string>> = {
      'no boundary': 'multipart/form-data',
      'an empty boundary': 'multipart/form-data; boundary=',
      'two boundaries': `multipart/form-data; boundary=${BOUNDARY}; boundary=other`,
      'a boundary of 71 characters': `multipart/form-data; boundary=${'b'.repeat(71)}`,
      'a boundary of 252 characters': `multipart/form-data; boundary=${'b'.repeat(252)}`,
      'a boundary with a quote': 'multipart/form-data; boundary="a\\"b"',
      'a boundary that ends with a blank': 'multipart/form-data; boundary="a "',
      'invalid parameters': 'multipart/form-data; boundary=a; =',
    };
    for (const [title, type] of Object.entries(types)) {
      it(`is rejected: ${title}`, () =>
        expectRejected(400, 'REQ_FORM', '/echo', createRawForm([text('a', '1')]), type));
    }

    it('has a boundary of more than 70 characters', async () => {
      const boundary = 'b'.repeat(70);
      const type = `multipart/form-data; charset=utf-8; Boundary="${boundary}"`;
      expect((await send('/echo', createRawForm([text('a', '1')], boundary), type)).body).to.deep.equal({ a: '1' });
    });

    for (const type of [
      'multipart/mixed; boundary=a',
      'multipart/form-data-x; boundary=a',
      'text/html;multipart/form-data',
    ]) {
      it(`is of another type: ${type}`, () =>
        expectRejected(415, 'REQ_MEDIA_TYPE', '/echo', createRawForm([], 'a'), type));
    }

    it('is compressed', async () => {
      const headers = { 'content-type': FORM_TYPE, 'content-encoding': 'gzip' };
      expect((await kernel.post('/echo', createRawForm([]), { headers })).status).to.equal(415);
    });
  });

  describe('files', () => {
    it('are rejected if no actionable uses them', () =>
      expectRejected(415, 'REQ_NO_FILES', '/echo', createRawForm([file('a')])));

    it('without a chosen file are ignored: a file input without a name and without bytes', async () => {
      const empty = {
        headers: 'content-disposition: form-data; name="f"; filename=""\r\ncontent-type: application/octet-stream',
        content: '',
      };
      expect((await send('/echo', createRawForm([empty, text('a', '1')]))).body).to.deep.equal({ a: '1' });
      await expectRejected(422, 'UPL_NO_FILE', '/up', createRawForm([empty]));
      await expectRejected(400, 'REQ_FORM', '/up', createRawForm([{ ...empty, content: 'bytes' }]));
    });

    it('count whatever the names of their parts are', async () => {
      const { status, body } = await send('/up', createRawForm([file('avatar'), text('note', 'n'), file('x[0]')]));
      expect(status).to.equal(200);
      expect(body).to.have.length(2);
    });

    it('are not read before the guard has passed: nothing is written, and the connection ends early', async () => {
      const body = createRawForm([file('a')]);
      const request = formatRequestHead('POST', '/guarded', { 'content-type': FORM_TYPE, 'content-length': 1_000_000 });
      const answer = parseRaw(await kernel.raw([request, body]));
      expect(answer.status).to.equal(401);
      expect(answer.head).to.contain('connection: close');
      expect(await listTempFiles()).to.deep.equal([]);
    });

    for (const body of [
      {},
      { files: [{ path: '/etc/passwd', size: 3 }] },
      { files: { file: { filepath: '/etc/passwd', originalFilename: 'a.png', mimetype: 'image/png' } } },
      { file: { path: '/etc/passwd' }, storage_key: '../../etc/passwd', head: [137, 80] },
    ]) {
      it(`are never created by JSON: ${JSON.stringify(body)}`, async () => {
        const { status, body: problem } = await kernel.post('/up', body);
        expect([status, problem['code']]).to.deep.equal([422, 'UPL_NO_FILE']);
      });
    }
  });

  describe('clients', () => {
    it('that stop sending get 408, and leave no file', async () => {
      const whole = createRawForm([file('a')]);
      const request = formatRequestHead('POST', '/up', { 'content-type': FORM_TYPE, 'content-length': whole.length });
      const answer = parseRaw(await kernel.raw([request, whole.subarray(0, 150)]));
      expect(answer.status).to.equal(408);
      expect(answer.body).to.contain('REQ_SILENT');
    }).timeout(10_000);

    it('that disconnect at any byte leave no file', async () => {
      const whole = Buffer.concat([
        Buffer.from(
          formatRequestHead('POST', '/up', {
            'content-type': FORM_TYPE,
            'content-length': createRawForm([file('a'), text('t', '1'), file('b')]).length,
          }),
        ),
        createRawForm([file('a'), text('t', '1'), file('b')]),
      ]);
      for (let at = 1; at < whole.length; at += 7)
        await sendAndClose(kernel.server.port, whole.subarray(0, at), at % 2 === 0);
      await waitUntilNoTempFiles();
      expect((await send('/up', createRawForm([file('a')]))).status).to.equal(200);
      // A client that disconnects is not a failure.
      expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
    }).timeout(30_000);

    it('that disconnect while their file is written leave no file', async () => {
      const whole = createRawForm([file('a', 'x'.repeat(1900), 'text/plain')]);
      const request = formatRequestHead('POST', '/up', { 'content-type': FORM_TYPE, 'content-length': whole.length });
      const isWritten = (): Promise<void> =>
        waitUntil(async () => (await listTempFiles()).length === 1, 'a file is spooled');
      for (const hard of [true, false]) {
        await sendAndClose(
          kernel.server.port,
          Buffer.concat([Buffer.from(request), whole.subarray(0, 1500)]),
          hard,
          isWritten,
        );
        await waitUntilNoTempFiles();
      }
    });

    it('with two hundred invalid forms do not prevent the next valid one', async () => {
      const broken = createRawForm([file('a')]).subarray(0, -20);
      const answers = await Promise.all(Array.from({ length: 200 }, () => send('/up', broken)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([400]));
      expect((await send('/up', createRawForm([file('a')]))).status).to.equal(200);
    }).timeout(20_000);
  });
});
