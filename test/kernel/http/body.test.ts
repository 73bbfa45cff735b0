/** Reading a body under its limit, and the names in a form: each without a server. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { isJsonType } from '../../../language/strings/header.js';
import { parseJson, readBytes } from '../../../kernel/http/body.js';
import {
  parseBoundary,
  parseFileName,
  parsePartName,
  checkPartText,
} from '../../../plugins/body-formats/multipart-form/boundary.js';
import { measureInThread } from '../../support/measured-heaps.js';

const MAX = 10;

/** A request written byte by byte. */
function request(headers: Readonly<Record<string, string>> = {}): { req: IncomingMessage; body: PassThrough } {
  const body = new PassThrough();
  return { req: Object.assign(body, { headers }) as unknown as IncomingMessage, body };
}

async function catchFault(work: Promise<unknown>): Promise<Fault> {
  const failure: unknown = await work.then(
    (value) => expect.fail(`there was no fault but ${String(value)}`),
    (error: unknown) => error,
  );
  expect(failure).to.be.instanceOf(Fault);
  return failure as Fault;
}
const catchCode = async (work: Promise<unknown>): Promise<string> => (await catchFault(work)).code;

/** The outcome at the next turn of the event loop. */
const resolveSoon = <T>(work: Promise<T>): Promise<T | 'pending'> =>
  Promise.race([work, new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')))]);

/** Chunks of these sizes, and then the end. */
async function readChunks(...sizes: readonly number[]): Promise<string> {
  const { req, body } = request({ 'transfer-encoding': 'chunked' });
  const reading = readBytes(req, MAX);
  for (const [index, size] of sizes.entries()) body.write(String(index).repeat(size));
  body.end();
  return (await reading).toString();
}

describe('request bodies without Content-Length', () => {
  it('accepts exactly the allowed number of bytes, in one chunk and in several', async () => {
    expect(await readChunks(10)).to.equal('0000000000');
    expect(await readChunks(4, 5, 1)).to.equal('0000111112');
    expect(await readChunks()).to.equal('');
  });

  it('returns 413 for one byte more, in one chunk and in several', async () => {
    for (const sizes of [[11], [10, 1], [4, 5, 1, 1], [1, 10]]) {
      const fault = await catchFault(readChunks(...sizes));
      expect([fault.code, fault.params['max']], sizes.join()).to.deep.equal(['REQ_TOO_LARGE', MAX]);
      expect(fault.options.headers).to.deep.equal({ connection: 'close' });
    }
  });

  it('returns 413 before the end of the body and stops reading', async () => {
    const { req, body } = request();
    const reading = readBytes(req, MAX);
    body.write('x'.repeat(11));
    expect(await catchCode(reading)).to.equal('REQ_TOO_LARGE');
    expect(body.isPaused()).to.equal(true);
    expect([body.listenerCount('data'), body.listenerCount('aborted')]).to.deep.equal([0, 0]);
  });

  it('uses about as much memory as the body has bytes, however small its chunks are', async () => {
    expect(await measureInThread('chunkedBody')).to.be.lessThan(4_000_000);
  });

  for (const event of ['aborted', 'error'])
    it(`stops reading when the request ends with "${event}"`, async () => {
      const { req, body } = request();
      const reading = readBytes(req, MAX);
      body.write('x');
      body.emit(event, new Error('the client left'));
      expect(await catchCode(reading)).to.equal('REQ_ABORTED');
      expect(body.listenerCount('data')).to.equal(0);
    });

  it('does not wait when the client has already disconnected', async () => {
    const { req } = request();
    req.destroy();
    expect(await resolveSoon(catchCode(readBytes(req, MAX)))).to.equal('REQ_ABORTED');
  });
});

describe('request bodies with Content-Length', () => {
  it('returns 413 without reading when Content-Length exceeds the limit', async () => {
    const { req, body } = request({ 'content-length': '11' });
    const fault = await resolveSoon(catchFault(readBytes(req, MAX)));
    expect(fault).to.include({ code: 'REQ_TOO_LARGE' });
    expect((fault as Fault).options.headers).to.deep.equal({ connection: 'close' });
    expect([body.listenerCount('data'), body.readableFlowing]).to.deep.equal([0, null]);
  });

  it('accepts a Content-Length equal to the limit', async () => {
    const { req, body } = request({ 'content-length': '10' });
    const reading = readBytes(req, MAX);
    body.end('0123456789');
    expect((await reading).toString()).to.equal('0123456789');
  });
});

describe('Content-Type of a JSON body', () => {
  it('accepts application/json, with UTF-8 as the only charset', () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF8"',
      'application/json ; a=b',
    ])
      expect(isJsonType(type), type).to.equal(true);
    for (const type of [
      undefined,
      '',
      'text/json',
      'application/jsonp',
      'application/json; charset=utf-16',
      'application/json; charset=utf-8x',
      'application/json; a=b; charset=latin1',
      'application/problem+json',
    ])
      expect(isJsonType(type), type).to.equal(false);
  });
});

describe('bytes of a JSON body', () => {
  const limits = { body: MAX, depth: 2, keys: 2, array: 2 };

  it('must be UTF-8', () => {
    expect(parseJson(Buffer.from('{"a":"é"}'), limits)).to.deep.equal({ a: 'é' });
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ])
      expect(() => parseJson(Buffer.from(bytes), limits))
        .to.throw(Fault)
        .with.property('code', 'REQ_MALFORMED');
  });
});

describe('text of a multipart part', () => {
  it('must be UTF-8', () => {
    expect(checkPartText('a', 'é\0\n')).to.equal('é\0\n');
    for (const text of ['\ufffd', '\ud800']) expect(() => checkPartText('a', text)).to.throw(Fault);
  });
});

describe('name of a multipart part', () => {
  const codeOfName = (name: string | undefined): string | null => {
    try {
      parsePartName(name);
      return null;
    } catch (error) {
      return (error as Fault).code;
    }
  };

  it('has at most 200 bytes of UTF-8, counted in bytes and not in characters', () => {
    for (const [character, bytes] of [
      ['a', 1],
      ['é', 2],
      ['\u{1f600}', 4],
    ] as const) {
      const longest = character.repeat(200 / bytes);
      expect(parsePartName(longest)).to.equal(longest);
      expect(codeOfName(`${longest}a`), character).to.equal('REQ_TOO_COMPLEX');
    }
  });

  it('is required and contains no control characters', () => {
    for (const name of [undefined, '', 'a\u0000', 'a\u001f', '\u007f', 'a%0Ab', '%0d', 'a\ufffd', '\ud800'])
      expect(codeOfName(name), JSON.stringify(name)).to.equal('REQ_FORM');
    for (const name of [' ', 'a b', '\u0080', 'a%20b', '[a]', 'a.b']) expect(parsePartName(name)).to.equal(name);
    expect(parsePartName('a%22b')).to.equal('a"b');
  });

  it('cannot be a reserved name', () => {
    for (const name of ['__proto__', 'constructor', 'prototype'])
      expect(codeOfName(name), name).to.equal('REQ_NAME_REFUSED');
  });

  it('keeps only the last path segment of a file name', () => {
    expect(['a.png', '/x/a.png', 'C:\\x\\a.png', '../a.png', 'x/'].map(parseFileName)).to.deep.equal([
      'a.png',
      'a.png',
      'a.png',
      'a.png',
      '',
    ]);
    for (const name of ['a%0d.png', 'a\ufffd.png', 'a\0.png']) expect(() => parseFileName(name), name).to.throw(Fault);
  });
});

describe('boundary of a multipart form', () => {
  const codeOfType = (type: string): string | null => {
    try {
      parseBoundary(type);
      return null;
    } catch (error) {
      return (error as Fault).code;
    }
  };

  it('has 1 to 70 characters, quoted or not, and may be among other parameters', () => {
    for (const boundary of ['x', 'x'.repeat(70)]) {
      expect(parseBoundary(`multipart/form-data; boundary=${boundary}`)).to.equal(boundary);
      expect(parseBoundary(`multipart/form-data;charset=utf-8; BOUNDARY="${boundary}"`)).to.equal(boundary);
    }
    expect(parseBoundary('multipart/form-data; boundary="a b"')).to.equal('a b');
    for (const boundary of ['', '""', 'x'.repeat(71), `"${'x'.repeat(71)}"`, '"a "', '"a\\b"', 'a@b'])
      expect(codeOfType(`multipart/form-data; boundary=${boundary}`), boundary).to.equal('REQ_FORM');
  });

  it('must be given once, without other text in the header', () => {
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; charset=utf-8',
      'multipart/form-data; boundary=a; boundary=a',
      'multipart/form-data; boundary=a; boundary=b',
      'multipart/form-data; boundary=a b',
      'multipart/form-data; boundary=a;',
      'multipart/form-data; x; boundary=a',
    ])
      expect(codeOfType(type), type).to.equal('REQ_FORM');
  });
});
