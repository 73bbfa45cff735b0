/**
 * The response of another service as a value: JSON under limits, text in its charset, and nothing that cannot be
 * decoded.
 */
import { expect } from 'chai';
import { OUTBOUND } from '../../../contract/outbound.js';
import { readReply } from '../../../plugins/modes/http-request/runtime.js';
import { catchThrownFault } from '../../support/frame-tools.js';

const { limits } = OUTBOUND;
const read = (body: string | Buffer, type?: string, rest: Partial<typeof limits> = {}): unknown =>
  readReply(Buffer.from(body as string), type, { ...limits, ...rest });
const catchReplyFault = (body: string | Buffer, type?: string, rest: Partial<typeof limits> = {}): unknown =>
  catchThrownFault(() => read(body, type, rest)).params['what'];

describe('response of another service', () => {
  it('is null without a body, whatever its type', () => {
    for (const type of [undefined, 'application/json', 'image/png', 'text/plain'])
      expect(read('', type)).to.equal(null);
  });

  it('is JSON by its type', () => {
    for (const type of [
      'application/json',
      'text/json',
      'Application/JSON; charset=utf-8',
      ' application/json ',
      'application/problem+json',
      'application/vnd.a-b.c+json',
    ]) {
      expect(read('{"a":1}', type), type).to.deep.equal({ a: 1 });
      expect(read('"1"', type), type).to.equal('1');
    }
  });

  it('is text by its type', () => {
    for (const type of [
      'text/plain',
      'text/html; charset=utf-8',
      'text/csv',
      'application/xml',
      'application/soap+xml',
      'application/x-www-form-urlencoded',
      'application/javascript',
      'TEXT/plain',
    ])
      expect(read('{"a":1}', type), type).to.equal('{"a":1}');
  });

  it('is rejected with any other type', () => {
    for (const type of [
      'image/png',
      'application/octet-stream',
      'application/pdf',
      'application/jsonx',
      'xapplication/json',
      'application/xmlx',
      'xtext/plain',
      'application/javascript2',
      'text/',
      'image/json',
      'image/svg+xml',
    ])
      expect(catchReplyFault('{"a":1}', type), type).to.equal('it is neither JSON nor text');
  });

  it('is detected without a type', () => {
    for (const type of [undefined, '', ' ', '; charset=utf-8']) {
      expect(read(' \n{"a":1}', type)).to.deep.equal({ a: 1 });
      expect(read('[1]', type)).to.deep.equal([1]);
      expect(read('1', type)).to.equal('1');
      expect(read('a{', type)).to.equal('a{');
    }
    expect(read(' '.repeat(60))).to.equal(' '.repeat(60));
    expect(read(`${' '.repeat(63)}[1]`)).to.deep.equal([1]);
    expect(read(`${' '.repeat(64)}[1]`)).to.be.a('string');
    expect(catchReplyFault('{a')).to.equal('it is no JSON within the limits');
  });

  it('is decoded in its charset, and in UTF-8 without one', () => {
    const latin = Buffer.from([0xe9]);
    for (const type of ['text/plain; charset=iso-8859-1', 'text/plain;x=y;  charset="ISO-8859-1" '])
      expect(read(latin, type), type).to.equal('é');
    expect(read('é', 'text/plain')).to.equal('é');
    expect(catchReplyFault(latin, 'text/plain')).to.equal('its characters cannot be read');
    expect(catchReplyFault('a', 'text/plain; charset=unknown-9')).to.equal('its characters cannot be read');
    expect(catchReplyFault('a\0b', 'text/plain')).to.equal('it is not text');
  });

  it('is JSON with a byte order mark, only at its beginning', () => {
    const mark = [0xef, 0xbb, 0xbf];
    expect(read(Buffer.from([...mark, 0x31]), 'application/json')).to.equal(1);
    for (const bytes of [
      [0xef, 0xbb, 0x31],
      [0xef, 0x31, 0x31],
    ])
      expect(catchReplyFault(Buffer.from(bytes), 'application/json')).to.equal('it is not UTF-8');
    expect(catchReplyFault(Buffer.from([0x22, 0xff, 0x22]), 'application/json')).to.equal('it is not UTF-8');
    for (const text of ['\ufb3f1', '\u0eff1', '\ufec01'])
      expect(catchReplyFault(text, 'application/json')).to.equal('it is no JSON within the limits');
  });

  it('is JSON within the limits, up to each of them', () => {
    const type = 'application/json';
    const rows = [
      ['[[1]]', { depth: 2 }, '[[[1]]]'],
      ['{"a":1,"b":2}', { keys: 2 }, '{"a":1,"b":2,"c":3}'],
      ['[1,2]', { array: 2 }, '[1,2,3]'],
    ] as const;
    for (const [fits, limit, exceeds] of rows) {
      expect(read(fits, type, limit)).to.deep.equal(JSON.parse(fits));
      expect(catchReplyFault(exceeds, type, limit)).to.equal('it is no JSON within the limits');
    }
    expect(catchReplyFault('{"__proto__":1}', type)).to.equal('it is no JSON within the limits');
  });
});
