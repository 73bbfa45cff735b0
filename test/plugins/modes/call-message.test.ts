/**
 * Headers and body of an outbound call, without a call: no value of a request becomes a separate header, cookie or
 * piece of markup.
 */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import { compileBody, compileHeaders } from '../../../plugins/modes/http-request/message.js';
import { catchThrownFault, createPayloadFrame, createFrameTools } from '../../support/frame-tools.js';

const tools = createFrameTools();

describe('headers of a call', () => {
  const headers = (written: Readonly<Record<string, Json>>, payload: Readonly<Record<string, unknown>> = {}) =>
    compileHeaders(written, tools)(createPayloadFrame(payload));

  const cookie = { Cookie: 'session=$PAYLOAD.s; theme=dark' };

  it('contain cookies with values of a request', () => {
    for (const s of ['abc', 'a=b', 'a&b', '!#$%&()*+-./:<=>?@[]^_`{|}~', '', 7, true])
      expect(headers(cookie, { s })).to.deep.equal({ cookie: `session=${s}; theme=dark` });
  });

  for (const s of ['a; admin=1', ';', 'a,b', 'a b', 'a\tb', 'a\nb', 'a\rb', '"a"', 'a\\b', 'a\u00a0b', '€', 'a\0'])
    it(`reject ${JSON.stringify(s)} as the value of one cookie: it could begin another, or end the header`, () => {
      const { code, options } = catchThrownFault(() => headers(cookie, { s }));
      expect([code, options.issues?.map(({ pointer }) => pointer)]).to.deep.equal(['OUT_VALUE', ['/s']]);
    });

  it('accept a whole cookie header from a request, and cookie separators in other headers', () => {
    expect(headers({ Cookie: '$PAYLOAD.s' }, { s: 'a=1; b="2"' })).to.deep.equal({ cookie: 'a=1; b="2"' });
    expect(headers({ 'X-Note': 'a $PAYLOAD.s' }, { s: 'b; c, "d" \\' })).to.deep.equal({ 'x-note': 'a b; c, "d" \\' });
  });

  it('reject what a header cannot contain, at any position', () => {
    for (const s of ['a\r\nx: y', 'a\n', '\0', '\u007f', '€', '\ud800'])
      for (const written of [{ x: '$PAYLOAD.s' }, { x: 'a $PAYLOAD.s' }, { cookie: '$PAYLOAD.s' }])
        expect(catchThrownFault(() => headers(written, { s })).code, JSON.stringify(s)).to.equal('OUT_VALUE');
    for (const s of ['\t', ' ~', '\u0080\u00ff']) expect(headers({ x: '$PAYLOAD.s' }, { s })).to.deep.equal({ x: s });
  });

  it('omit a header that is null, and reject a null inside a text', () => {
    expect(headers({ x: '$PAYLOAD.s', y: '1' }, { s: null })).to.deep.equal({ y: '1' });
    expect(catchThrownFault(() => headers({ x: 'a $PAYLOAD.s' }, { s: null })).code).to.equal('OUT_VALUE');
    for (const s of [{}, ['a']])
      expect(catchThrownFault(() => headers({ x: '$PAYLOAD.s' }, { s })).code).to.equal('OUT_VALUE');
  });

  it('are a new object for each call, with constants and the environment', () => {
    const read = compileHeaders({ Authorization: 'Bearer $ENV.KEY', X: 'a' }, tools);
    const first = read(createPayloadFrame({}));
    expect(first).to.deep.equal({ authorization: 'Bearer key', x: 'a' });
    first['x'] = 'changed';
    expect(read(createPayloadFrame({}))).to.deep.equal({ authorization: 'Bearer key', x: 'a' });
  });
});

describe('body of a call', () => {
  const body = (json: Json, type: string | null, payload: Readonly<Record<string, unknown>>): string | undefined =>
    compileBody(json, type, tools)?.read(createPayloadFrame(payload));
  const attack = `</a><b x="1" y='2'>&`;

  it('contains values of a request inside XML as text, and never as markup', () => {
    for (const type of ['application/xml', 'text/xml; charset=utf-8', 'application/soap+xml', 'Text/XML'])
      expect(body('<a>$PAYLOAD.v</a>', type, { v: attack }), type).to.equal(
        '<a>&lt;/a&gt;&lt;b x=&quot;1&quot; y=&#39;2&#39;&gt;&amp;</a>',
      );
    expect(body('a $PAYLOAD.v', 'text/xml', { v: '<' })).to.equal('a &lt;');
  });

  it('contains values of a request inside a form as values, and never as fields', () => {
    const type = 'application/x-www-form-urlencoded';
    expect(body('a=$PAYLOAD.v&b=1', type, { v: 'x&admin=1' })).to.equal('a=x%26admin%3D1&b=1');
    expect(body({ a: '$PAYLOAD.v' }, type, { v: 'x&admin=1' })).to.equal('a=x%26admin%3D1');
  });

  it('contains a whole value unchanged, and values inside a text of another type too', () => {
    expect(body('$PAYLOAD.v', 'application/xml', { v: attack })).to.equal(attack);
    expect(body('$PAYLOAD.v', 'application/x-www-form-urlencoded', { v: 'a=1&b=2' })).to.equal('a=1&b=2');
    expect(body('a,$PAYLOAD.v', 'text/csv', { v: attack })).to.equal(`a,${attack}`);
    expect(body('a', 'text/xml', {})).to.equal('a');
  });

  it('contains JSON as JSON, also if a value is absent', () => {
    expect(body({ a: '$PAYLOAD.v', b: { c: 'x $PAYLOAD.v' } }, null, { v: '"' })).to.equal(
      '{"a":"\\"","b":{"c":"x \\""}}',
    );
    expect(body({ a: '$PAYLOAD.v' }, 'application/json', { v: 1 })).to.equal('{"a":1}');
    expect(body('$PAYLOAD.v', null, { v: '"' })).to.equal('"\\""');
    expect(body('$PAYLOAD.v', 'application/json', {})).to.equal('null');
  });

  it('rejects text that is not well-formed, and a whole value that is not text', () => {
    expect(catchThrownFault(() => body('<a>$PAYLOAD.v</a>', 'text/xml', { v: '\ud800' })).code).to.equal('OUT_VALUE');
    expect(catchThrownFault(() => body('$PAYLOAD.v', 'text/plain', { v: 7 })).code).to.equal('OUT_VALUE');
    expect(catchThrownFault(() => body('<a>$PAYLOAD.v</a>', 'text/xml', { v: null })).code).to.equal('OUT_VALUE');
    expect(body('$PAYLOAD.v', 'text/plain', { v: attack })).to.equal(attack);
  });

  it('is absent if none is written', () => {
    expect(compileBody(undefined, null, tools)).to.equal(null);
    expect(compileBody(null, null, tools)?.contentType).to.equal('application/json');
  });
});
