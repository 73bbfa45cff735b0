/** Checks of headers, body and retries of a call; connect_to entries. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import { OUTBOUND } from '../../../contract/outbound.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { check } from '../../../plugins/modes/http-request/check.light.js';
import { resolveConnectTo } from '../../../plugins/modes/http-request/client.js';
import {
  getBodyForm,
  BODILESS,
  IDEMPOTENT,
  MANAGED_HEADERS,
} from '../../../plugins/modes/http-request/http-syntax.light.js';

type DefinitionJson = Readonly<Record<string, Json>>;

const findings = (http: DefinitionJson): readonly Finding[] =>
  check({ value: { http }, outbound: OUTBOUND } as unknown as CheckPlace);

describe('headers, body and retries in the check of a call', () => {
  const url = 'https://a.example';
  const ofHeaders = (headers: DefinitionJson): readonly unknown[] =>
    findings({ url, headers }).map(({ code, at, key, params }) => [code, at, key === true, params?.['what']]);

  it('reject headers of the connection, in any case', () => {
    const what = 'is set by the connection, not by a definition';
    for (const name of [...MANAGED_HEADERS, 'Host', 'Content-Length', 'TE'])
      expect(ofHeaders({ [name]: 'x' }), name).to.deep.equal([['OUT_HEADER', `/http/headers/${name}`, true, what]]);
    expect([...MANAGED_HEADERS].sort()).to.deep.equal([
      'connection',
      'content-length',
      'expect',
      'host',
      'http2-settings',
      'keep-alive',
      'proxy-authenticate',
      'proxy-authorization',
      'proxy-connection',
      'te',
      'trailer',
      'transfer-encoding',
      'upgrade',
    ]);
  });

  it('require header names, and values that a header can have', () => {
    for (const name of ['', 'a b', 'a:', 'é', 'a\n', 'a/b'])
      expect(ofHeaders({ [name]: 'x' })[0], name).to.include('is not the name of a header');
    expect(findings({ url, headers: { 'é\n': 'x' } })[0]?.params?.['name']).to.equal('??');
    for (const text of ['a\nb', '\r', '\0', '€', '\u007f'])
      expect(ofHeaders({ x: text }), JSON.stringify(text)).to.deep.equal([
        ['OUT_HEADER', '/http/headers/x', false, 'has characters that a header cannot carry'],
      ]);
    expect(ofHeaders({ "x!#$%&'*+.^_`|~-9": 'a\t~\u0080ÿ' })).to.deep.equal([]);
  });

  it('contain no key in plain text', () => {
    for (const name of [
      'Authorization',
      'cookie',
      'X-Api-Key',
      'apikey',
      'auth-token',
      'X-Access_Secret',
      'api_secret',
    ])
      expect(
        ofHeaders({ [name]: 'abc' }).map((one) => (one as string[])[0]),
        name,
      ).to.deep.equal(['SEC_CLEAR']);
    for (const name of ['x-key', 'api', 'authorization-x', 'x-authorization', 'y-api-key', 'set-cookie'])
      expect(ofHeaders({ [name]: 'abc' }), name).to.deep.equal([]);
    for (const text of ['$ENV.KEY', 'Bearer $PAYLOAD.t', '', '  '])
      expect(ofHeaders({ authorization: text }), text).to.deep.equal([]);
  });

  it('are each written once, and have a constant content type', () => {
    expect(ofHeaders({ 'X-a': '1', 'x-A': '2', 'x-b': '3' })).to.deep.equal([
      ['OUT_HEADER', '/http/headers/x-A', true, 'is written twice, in other capitals'],
    ]);
    const what = 'must be constant: the body is written by it';
    expect(ofHeaders({ 'Content-Type': '$PAYLOAD.t' })).to.deep.equal([
      ['OUT_HEADER', '/http/headers/Content-Type', false, what],
    ]);
    expect(ofHeaders({ 'Content-Type': '$ENV.T', 'x-type': '$PAYLOAD.t' })).to.deep.equal([]);
  });

  it('have a body in the format of its content type, and none if the verb has none', () => {
    const ofBody = (body: Json, type: string | null, method?: string): unknown =>
      findings({
        url,
        request_body: body,
        ...(method !== undefined && { method }),
        ...(type !== null && { headers: { 'Content-Type': type } }),
      }).map(({ code, params }) => [code, params?.['what']])[0];
    for (const method of ['GET', 'HEAD']) {
      expect(ofBody({}, null, method)).to.deep.equal(['OUT_BODY', `${method} has none`]);
      expect(BODILESS.has(method)).to.equal(true);
    }
    expect(ofBody({}, null)).to.deep.equal(['OUT_BODY', 'GET has none']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(ofBody({}, null, method)).to.equal(undefined);
    expect(ofBody({}, 'text/plain', 'POST')).to.deep.equal(['OUT_BODY', '"text/plain" is written as one text']);
    expect(ofBody('a', 'text/plain', 'POST')).to.equal(undefined);
    const form = 'application/x-www-form-urlencoded';
    expect(ofBody([1], form, 'POST')).to.deep.equal(['OUT_BODY', 'a form is an object of names and values']);
    for (const body of ['a=1', { a: 1 }]) expect(ofBody(body, form, 'POST')).to.equal(undefined);
    for (const type of ['$ENV.T', 'application/json', 'application/problem+json; charset=utf-8', ''])
      expect(ofBody([1], type, 'POST'), type).to.equal(undefined);
  });

  it('are in JSON, a form, or another text, by the content type', () => {
    for (const type of [
      '',
      ' ',
      'application/json',
      'Application/JSON;charset=utf-8',
      'text/json',
      'application/a.b+json',
    ])
      expect(getBodyForm(type), type).to.equal('json');
    for (const type of ['application/x-www-form-urlencoded', ' APPLICATION/x-www-form-urlencoded ; a'])
      expect(getBodyForm(type), type).to.equal('form');
    for (const type of [
      'text/plain',
      'application/jsonx',
      'json',
      'application/+json',
      'xapplication/x-www-form-urlencoded',
    ])
      expect(getBodyForm(type), type).to.equal('text');
  });

  it('are retried only if the verb is idempotent or has a key', () => {
    const ofTries = (method: string | undefined, retries: Json, headers: DefinitionJson = {}): number =>
      findings({ url, retries, headers, ...(method !== undefined && { method }) }).length;
    for (const method of ['POST', 'PATCH']) {
      expect(ofTries(method, 1)).to.equal(1);
      expect(ofTries(method, 0)).to.equal(0);
      expect(ofTries(method, '1')).to.equal(0);
      expect(ofTries(method, 1, { 'Idempotency-KEY': '$PAYLOAD.k' })).to.equal(0);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', undefined]) expect(ofTries(method, 3)).to.equal(0);
    expect([...IDEMPOTENT].sort()).to.deep.equal(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT']);
  });
});

describe('connect_to entries', () => {
  it('are found by host and port, in any notation', () => {
    const places = resolveConnectTo({
      ...OUTBOUND,
      connect_to: { 'A.Example.:443': '[::1]:8443', '[FD00::1]:80': 'b.example:81' },
    });
    expect([...places]).to.deep.equal([
      ['a.example:443', { host: '::1', port: 8443 }],
      ['fd00::1:80', { host: 'b.example', port: 81 }],
    ]);
  });
});
