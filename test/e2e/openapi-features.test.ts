/**
 * One small application with uploads, webhooks, calls to another service, caches, limits, encrypted fields and revoked
 * tokens: its OpenAPI document is valid and complete, and contains every response.
 */
import { expect } from 'chai';
import type { JsonObject } from '../../contract/json.js';
import { describeKernel } from '../../cli/openapi.js';
import type { Client, Loose } from '../support/client.js';
import { describeOnDatabase, type TestKernel } from '../support/kernel.js';
import { listDocumentErrors, checkAllCalls, createDocumentChecker, type DocumentChecker } from '../support/openapi.js';
import { createFormData, PDF, PNG_RED } from '../support/pictures.js';
import { defineReturnResource } from '../support/project.js';
import { createBearerInit, KEY, OTHER_KEY } from '../support/tokens.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';
import { signHmac } from '../support/webhooks.js';

const SECRET = 'whsec-9dKq27LmZt4xVb8RfJ3nWc6yTh';
const GUARD = { tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: { extract_claims: ['id'] } };
const ENTRY = { properties: ['email'], algorithm: 'XChaCha20Poly1305', options: { key: '$ENV.FIELD', aad: 'person' } };
const FOLDER = 'users/$PROTECTED.id';

const defineResource = (id: string, action: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, ...action }],
  ...rest,
});

const DEFINITIONS = [
  { _person: { id: { type: 'String', primary_key: true, max_length: 40 }, email: { type: 'String', optional: true } } },
  defineReturnResource('sign-in', { id: 'ada' }, { tokenize: { ...GUARD.tokenize, custom_claim_fields: ['id'] } }),
  { id: 'sign-out', resource: 'sign-out', ...GUARD, invalidate_tokenize: { tokens: '$HEADER.authorization' } },
  { id: 'end', resource: 'end', tokenize: GUARD.tokenize, invalidate_tokenize: { tokens: '$PAYLOAD.tokens' } },
  defineResource(
    'pictures',
    {
      mode: 'UPLOAD',
      uploads: {
        max_file_uploads: 2,
        max_upload_file_size: 2000,
        allowed_mimetypes: ['image/*'],
        upload_folder: FOLDER,
      },
      payload_validation: [{ field: { stars: { type: 'NUMBER', max: 5, optional: true } } }],
    },
    GUARD,
  ),
  defineResource('pictures-remove', { mode: 'UPLOAD', uploads: { delete_files: true, upload_folder: FOLDER } }, GUARD),
  defineReturnResource(
    'hook',
    { got: '$PAYLOAD.n' },
    {
      webhook: {
        verifications: {
          composition_strategy_mode: 'ANY',
          HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK' },
          HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.HOOK' },
        },
      },
    },
  ),
  defineResource(
    'rates',
    { mode: 'HTTPREQUEST', http: { url: '$ENV.REMOTE/rates', query: { of: '$PAYLOAD.of' } } },
    { cacheable: { read_from_cache: true, cache_key: 'rates', duration: 60 } },
  ),
  defineResource('failing', { mode: 'HTTPREQUEST', http: { url: '$ENV.REMOTE/failing' } }),
  defineResource('silent', { mode: 'HTTPREQUEST', http: { url: '$ENV.REMOTE/silent', timeout: 0.2 } }),
  defineReturnResource('counted', 1, { rate_limit: { limit: 1, expires_after: 60, identifier: '$PAYLOAD.who' } }),
  defineResource('people-add', {
    mode: 'QUERY',
    sql_query: { query: 'INSERT INTO person (id, email) VALUES ($1, $2)', parameters: ['id', 'email'] },
    generate: 'ULID',
    for: 'id',
    payload_validation: [{ field: { email: { type: 'EMAIL' } } }],
    ciphers: [{ operation: 'Encrypt', ...ENTRY }],
  }),
  defineResource('people', {
    mode: 'QUERY',
    result: 'many',
    sql_query: { query: 'SELECT id, email FROM person' },
    ciphers: [{ operation: 'Decrypt', ...ENTRY }],
    returnables: ['id', 'email'],
  }),
  defineResource('people-spoil', {
    mode: 'QUERY',
    sql_query: { query: "INSERT INTO person (id, email) VALUES ('x', 'spoilt')" },
  }),
];

const files = { 'definitions/a.json': DEFINITIONS };
const env = { KEY, HOOK: SECRET, FIELD: OTHER_KEY };

describe('openapi of all features', () => {
  let upstream: Upstream;
  const config: Record<string, unknown> = {};
  const live: Record<string, string> = { ...env };
  before(async () => {
    upstream = await startUpstream((req, res, asked) => {
      if (asked.url === '/silent') return;
      createJsonBehaviour(
        asked.url === '/failing' ? {} : [{ of: 'EUR', rate: 1.1 }],
        asked.url === '/failing' ? 500 : 200,
      )(req, res, asked);
    });
    config['outbound'] = { allow: [`127.0.0.1:${upstream.port}`] };
    live['REMOTE'] = upstream.url;
  });
  after(() => upstream.close());

  describeOnDatabase('served', { files, config, env: live }, (kernel) => describeServed(kernel));
});

function describeServed(kernel: () => TestKernel): void {
  let document: JsonObject;
  let validate: DocumentChecker;
  let client: Client;
  before(async () => {
    document = await describeKernel(kernel().kernel);
    validate = createDocumentChecker(document);
    client = checkAllCalls(kernel(), validate);
  });
  const token = async (): Promise<string> => String((await client.post('/sign-in', {})).body['token']);
  const status = async (path: string, body: unknown, init: RequestInit = {}): Promise<number> =>
    (await client.post(path, body, init)).status;
  const send = (form: FormData, as: string) =>
    client.request<Loose[]>('POST', '/pictures', { ...createBearerInit(as), body: form });
  const picture = { name: 'mine', content: PNG_RED, file: 'a.png', type: 'image/png' };

  it('is a valid document without secrets', async () => {
    expect(await listDocumentErrors(document)).to.equal('');
    for (const secret of Object.values(env)) expect(JSON.stringify(document)).to.not.contain(secret);
  });

  it('describes files that are stored, removed and rejected', async () => {
    const as = await token();
    const stored = await send(createFormData([picture, { name: 'stars', content: '4' }]), as);
    expect(stored.status, stored.text).to.equal(200);
    const key = stored.body[0]?.['storage_key'];
    const rejections = [
      await send(createFormData([{ ...picture, content: PDF }]), as),
      await send(createFormData([{ name: 'stars', content: '9' }]), as),
      await send(createFormData([{ ...picture, content: Buffer.alloc(3000) }]), as),
      await send(createFormData([picture, picture, picture]), as),
      await client.post('/pictures', {}, createBearerInit(as)),
      await client.post('/pictures', 'x', {
        headers: { ...createBearerInit(as).headers, 'content-type': 'multipart/form-data' },
      }),
      await client.post('/pictures', {}),
    ];
    expect(rejections.map((answer) => answer.status)).to.deep.equal([415, 422, 413, 413, 422, 400, 401]);
    expect(await status('/pictures-remove', ['users/bob/x.png'], createBearerInit(as))).to.equal(422);
    expect(await status('/pictures-remove', [key], createBearerInit(as))).to.equal(200);
  });

  it('describes webhooks, with either proof and without', async () => {
    const body = '{"n":1}';
    expect(await status('/hook', body, { headers: { 'x-signature': signHmac(body, SECRET) } })).to.equal(200);
    expect(await status('/hook', body, { headers: { 'x-token': SECRET } })).to.equal(200);
    expect(await status('/hook', body)).to.equal(401);
    expect(await status('/hook', {}, { headers: { 'x-token': SECRET } })).to.equal(422);
  });

  it('describes calls that succeed, fail, and take too long', async () => {
    expect([await status('/rates', { of: 'EUR' }), await status('/rates', { of: 'EUR' })]).to.deep.equal([200, 200]);
    expect(await status('/rates', { of: { a: 1 } })).to.equal(422);
    expect([await status('/failing', {}), await status('/silent', {})]).to.deep.equal([502, 504]);
  });

  it('describes limits', async () => {
    const first = await client.post('/counted', { who: 'ada' });
    const described = document['paths'] as Record<string, { post: { responses: Record<string, Loose> } }>;
    const headers = (code: number): string[] =>
      Object.keys(described['/counted']?.post.responses[code]?.['headers'] as object);
    for (const name of headers(200)) expect(first.headers.get(name), name).to.not.equal(null);
    const second = await client.post('/counted', { who: 'ada' });
    expect([first.status, second.status]).to.deep.equal([200, 429]);
    for (const name of headers(429)) expect(second.headers.get(name), name).to.not.equal(null);
    expect([await status('/counted', { who: '' }), await status('/counted', {})]).to.deep.equal([422, 422]);
  });

  it('describes encrypted fields', async () => {
    expect(await status('/people-add', { email: 'ada@example.com' })).to.equal(200);
    expect((await client.post<unknown>('/people', {})).text).to.contain('ada@example.com');
    expect([await status('/people-spoil', {}), await status('/people', {})]).to.deep.equal([200, 422]);
  });

  it('describes tokens that expire', async () => {
    const [as, other] = [await token(), await token()];
    expect((await client.post('/sign-out', {}, createBearerInit(as))).body).to.deep.equal({ invalidated: 1 });
    expect(await status('/sign-out', {}, createBearerInit(as))).to.equal(401);
    expect((await client.post('/end', { tokens: [other, 'x'] })).body).to.deep.equal({ invalidated: 1 });
    expect(await status('/end', { tokens: other })).to.equal(200);
    expect([await status('/end', { tokens: 5 }), await status('/end', {})]).to.deep.equal([422, 422]);
  });

  it('has a request for every operation', () => {
    const answered = [...validate.seen].filter(([, statuses]) => statuses.has(200)).map(([label]) => label);
    const all = Object.keys(document['paths'] as object).map((path) => `POST ${path}`);
    expect(all.filter((label) => !answered.includes(label))).to.deep.equal(['POST /failing', 'POST /silent']);
  });
}
