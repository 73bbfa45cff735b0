/**
 * Uploads, webhooks, calls, caches, limits, revoked tokens and encrypted fields in the OpenAPI document. Nothing is
 * served here.
 */
import { expect } from 'chai';
import type { JsonObject } from '../../../contract/json.js';
import { listDocumentErrors } from '../../support/openapi.js';
import {
  getAnswerSchema,
  getAtPointer,
  getBodySchema,
  getErrorCodes,
  createOpenApiDocument,
  listStatuses,
} from '../../support/openapi-documents.js';
import { defineReturnResource } from '../../support/project.js';

const PICTURES = { max_file_uploads: 3, max_upload_file_size: 1000, allowed_mimetypes: ['image/png', 'image/*'] };
const doing = (action: object, rest: object = {}): object => ({
  id: 'a',
  resource: 'a',
  actionables: [{ id: 1, ...action }],
  ...rest,
});
const documented = (action: object, rest: object = {}, config: object = {}): JsonObject =>
  createOpenApiDocument({ 'a.json': doing(action, rest) }, config);
const post = (document: JsonObject, ...path: readonly string[]): unknown =>
  getAtPointer(document, 'paths', '/a', 'post', ...path);
const schemes = (document: JsonObject): unknown => getAtPointer(document, 'components', 'securitySchemes');

describe('OpenAPI of uploads', () => {
  it('accepts a form: text parts by their rules, files with types, sizes and count', async () => {
    const rules = [{ field: { title: { type: 'STRING', max_length: 20 }, note: { type: 'STRING', optional: true } } }];
    const document = documented({ mode: 'UPLOAD', uploads: PICTURES, payload_validation: rules });
    expect(post(document, 'requestBody')).to.deep.equal({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              title: { type: 'string', maxLength: 20 },
              note: { type: ['string', 'null'] },
              files: {
                type: 'array',
                items: { type: 'string', format: 'binary', maxLength: 1000 },
                maxItems: 3,
                description:
                  '1 to 3 files of at most 1000 bytes each. Every part with a file counts, whatever its name.',
              },
            },
            required: ['title'],
          },
          encoding: { files: { contentType: 'image/png, image/*' } },
        },
      },
    });
    expect(await listDocumentErrors(document)).to.equal('');
  });

  it('distinguishes one file from several, and describes their results', () => {
    const document = documented({ mode: 'UPLOAD', uploads: { max_file_uploads: 1 } });
    const file = post(document, 'requestBody', 'content', 'multipart/form-data', 'schema', 'properties', 'files');
    expect(file).to.include({ type: 'string', format: 'binary', maxLength: 10_485_760 });
    const answer = getAnswerSchema(document, '/a') as JsonObject;
    expect(answer).to.include({ type: 'array', minItems: 1, maxItems: 1 });
    expect(getAtPointer(answer, 'items', 'properties', 'url')).to.deep.equal({
      type: 'string',
      format: 'uri-reference',
    });
    expect(getAtPointer(answer, 'items', 'properties', 'dominant_color', 'type')).to.deep.equal(['string', 'null']);
    const named = documented({ mode: 'UPLOAD', uploads: PICTURES, returnables: ['url'] });
    expect(
      Object.keys(getAtPointer(getAnswerSchema(named, '/a') as JsonObject, 'items', 'properties') as object),
    ).to.deep.equal(['url']);
  });

  it('accepts a list of keys to remove', () => {
    const uploads = { delete_files: true, upload_folder: 'users/$PROTECTED.id' };
    const guard = {
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' },
      protected: { extract_claims: ['id'] },
    };
    const document = documented({ mode: 'UPLOAD', uploads }, guard);
    expect(getBodySchema(document, '/a')).to.include({ type: 'array', maxItems: 1000 });
    expect(post(document, 'requestBody', 'required')).to.equal(true);
    expect(getAtPointer(getAnswerSchema(document, '/a') as JsonObject, 'items', 'properties', 'deleted')).to.deep.equal(
      {
        type: 'boolean',
        const: true,
      },
    );
    expect(getErrorCodes(document, '/a', 422))
      .to.include.members(['UPL_KEY', 'UPL_FOLDER_VALUE'])
      .and.not.include('UPL_NO_FILE');
  });

  it('describes how forms are rejected, and by which storage', () => {
    const document = documented({ mode: 'UPLOAD', uploads: PICTURES });
    expect(getErrorCodes(document, '/a', 422))
      .to.include('UPL_NO_FILE')
      .and.not.include('UPL_FOLDER_VALUE');
    expect(getErrorCodes(document, '/a', 415))
      .to.include('UPL_TYPE_REFUSED')
      .and.not.include('REQ_NO_FILES');
    expect(getErrorCodes(document, '/a', 503)).to.deep.equal(['REQ_NO_ROOM', 'STO_AWAY']);
    expect(listStatuses(document, '/a')).to.include('408').and.not.include.members(['403']);
    const plain = createOpenApiDocument({ 'a.json': defineReturnResource('a', 1) });
    const httpLayer = (status: number): unknown =>
      getAtPointer(plain, 'components', 'responses', `Door-${status}`, 'content', 'application/problem+json', 'schema');
    const codes = (status: number): unknown =>
      getAtPointer(httpLayer(status) as JsonObject, 'allOf', '1', 'properties', 'code', 'enum');
    expect(codes(400)).to.include('REQ_FORM');
    expect(codes(408)).to.deep.equal(['REQ_SILENT']);
    expect(codes(413)).to.include('REQ_PART');
    expect(codes(415)).to.include('REQ_NO_FILES');
    expect(listStatuses(plain, '/a')).to.not.include('503');
  });
});

describe('OpenAPI of webhooks', () => {
  const HMAC = { sig_header: '$HEADER.X-Signature', secret_key: '$ENV.GUEST_KEY' };
  const JWT = { header_key: '$HEADER.authorization', secret_key: '$ENV.GUEST_KEY', algorithm: 'HS512' };
  const IPS = { allowed_ips: '127.0.0.1' };
  const hook = (verifications: object, rest: object = {}): JsonObject =>
    createOpenApiDocument({ 'a.json': defineReturnResource('a', 1, { webhook: { verifications }, ...rest }) });

  it('requires what each verifier reads, in the header that the definition names', async () => {
    const document = hook({
      HmacSignatureVerifier: { ...HMAC, algorithm: 'sha512' },
      HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.GUEST_KEY' },
      PublicKeySignatureVerifier: { header_key: '$HEADER.x-rsa', public_key_pem: '-----BEGIN PUBLIC KEY-----' },
      JwtVerifier: JWT,
      IpAllowListVerifier: IPS,
    });
    const needed = { 'x-signature': [], 'x-token': [], 'x-rsa': [], sender: [] };
    expect(post(document, 'security')).to.deep.equal([needed]);
    const found = schemes(document) as Record<string, JsonObject>;
    expect(found['x-signature']).to.include({ type: 'apiKey', in: 'header', name: 'x-signature' });
    expect(found['x-signature']?.['description']).to.contain('sha512');
    expect(found['sender']).to.include({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
    expect(post(document, 'description')).to.contain('addresses that are listed');
    expect(getErrorCodes(document, '/a', 401)).to.deep.equal(['WHK_REFUSED']);
    expect(JSON.stringify(document)).to.not.match(/GUEST_KEY|127\.0\.0\.1/);
    expect(await listDocumentErrors(document)).to.equal('');
  });

  it('has alternatives if one verifier is enough; an address list alone needs no scheme', () => {
    const any = hook({ composition_strategy_mode: 'ANY', HmacSignatureVerifier: HMAC, JwtVerifier: JWT });
    expect(post(any, 'security')).to.deep.equal([{ 'x-signature': [] }, { sender: [] }]);
    const alone = hook({ composition_strategy_mode: 'ANY', HmacSignatureVerifier: HMAC, IpAllowListVerifier: IPS });
    expect(post(alone, 'security')).to.deep.equal([{ 'x-signature': [] }, {}]);
    const guarded = hook(
      { composition_strategy_mode: 'ANY', HmacSignatureVerifier: HMAC, JwtVerifier: JWT },
      { tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' }, protected: { provide_as: 'x-access' } },
    );
    expect(post(guarded, 'security')).to.deep.equal([
      { 'x-access': [], 'x-signature': [] },
      { 'x-access': [], sender: [] },
    ]);
    expect(post(hook({ IpAllowListVerifier: IPS }), 'security')).to.equal(undefined);
  });

  it('has another scheme for another secret', () => {
    const defineWebhook = (id: string, secret_key: string): object =>
      defineReturnResource(id, 1, { webhook: { verifications: { HmacSignatureVerifier: { ...HMAC, secret_key } } } });
    const document = createOpenApiDocument({
      'a.json': [
        defineWebhook('a', '$ENV.GUEST_KEY'),
        defineWebhook('b', '$ENV.GUEST_KEY'),
        defineWebhook('c', '$ENV.EXAMPLE_KEY'),
      ],
    });
    const of = (path: string): unknown => getAtPointer(document, 'paths', path, 'post', 'security');
    expect([of('/a'), of('/b'), of('/c')]).to.deep.equal([
      [{ 'x-signature': [] }],
      [{ 'x-signature': [] }],
      [{ 'x-signature-2': [] }],
    ]);
  });
});

describe('OpenAPI of calls, caches, limits, tokens and encrypted fields', () => {
  it('leaves the result of a call open, and describes its failures', () => {
    const document = documented({ mode: 'HTTPREQUEST', http: { url: 'https://api.example.com/$PAYLOAD.id' } });
    expect(getAnswerSchema(document, '/a')).to.deep.equal({});
    expect(listStatuses(document, '/a')).to.include.members(['502', '504']);
    expect(getErrorCodes(document, '/a', 502)).to.include('OUT_STATUS');
    expect(getErrorCodes(document, '/a', 422)).to.include('OUT_VALUE');
    expect(JSON.stringify(document)).to.not.contain('api.example.com');
  });

  it('describes counters: headers of the response and the rejection, and the key that is counted', () => {
    const document = createOpenApiDocument({
      'a.json': defineReturnResource('a', 1, {
        rate_limit: { limit: 5, expires_after: 60, identifier: ['$HEADER.x-tenant', '$PAYLOAD.email'] },
      }),
      'b.json': defineReturnResource('b', 1, { rate_limit: { limit: 5, expires_after: 60 } }),
    });
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    expect(post(document, 'responses', '200', 'headers')).to.include.all.keys(names);
    expect(post(document, 'responses', '429', 'headers')).to.include.all.keys(['retry-after', ...names]);
    expect(post(document, 'description')).to.contain('At most 5 requests in 60 seconds.');
    expect(post(document, 'parameters', '0')).to.include({ name: 'x-tenant', in: 'header', required: true });
    expect(getBodySchema(document, '/a')).to.deep.equal({
      type: 'object',
      properties: { email: {} },
      required: ['email'],
    });
    expect(getErrorCodes(document, '/a', 422)).to.include('LIM_UNIDENTIFIED');
    expect(listStatuses(document, '/b')).to.include.members(['429', '503']);
    expect(getErrorCodes(document, '/b', 422)).to.equal(undefined);
  });

  it('declares no rejection for a cache, except for limits and revoked tokens', () => {
    const cacheable = { read_from_cache: true, duration: 5 };
    const limit = { rate_limit: { limit: 5, expires_after: 60 } };
    expect(
      listStatuses(createOpenApiDocument({ 'a.json': defineReturnResource('a', 1, { cacheable }) }), '/a'),
    ).to.not.include('503');
    const both = createOpenApiDocument({ 'a.json': defineReturnResource('a', 1, { cacheable, ...limit }) });
    expect(getErrorCodes(both, '/a', 503)).to.deep.equal(['CCH_AWAY']);
    const files = { 'a.json': defineReturnResource('a', 1, limit) };
    const redis = createOpenApiDocument(files, { cache: { use: 'redis', url: '$ENV.EXAMPLE_KEY' } });
    expect(getErrorCodes(redis, '/a', 503)).to.deep.equal(['CCH_AWAY']);
    expect(JSON.stringify(redis), 'what stops a start').to.not.include('CCH_ADDRESS');
  });

  it('accepts tokens and returns how many were revoked; guards then need the store', () => {
    const tokenize = { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' };
    const document = createOpenApiDocument({
      'a.json': { id: 'a', resource: 'a', tokenize, invalidate_tokenize: { tokens: '$PAYLOAD.tokens' } },
      'b.json': defineReturnResource('b', 1, { tokenize, protected: {} }),
    });
    const text = { type: 'string' };
    expect(getBodySchema(document, '/a')).to.deep.equal({
      type: 'object',
      properties: { tokens: { anyOf: [text, { type: 'array', items: text, maxItems: 1000 }] } },
      required: ['tokens'],
    });
    expect(getAnswerSchema(document, '/a')).to.deep.equal({
      type: 'object',
      properties: { invalidated: { type: 'integer', minimum: 0 } },
      required: ['invalidated'],
    });
    expect(getErrorCodes(document, '/a', 422)).to.include('TOK_NOT_TOKENS');
    expect(getErrorCodes(document, '/b', 503)).to.deep.equal(['CCH_AWAY']);
    const alone = createOpenApiDocument({ 'b.json': defineReturnResource('b', 1, { tokenize, protected: {} }) });
    expect(listStatuses(alone, '/b')).to.not.include('503');
  });

  it('leaves encrypted values open, and rejects values that cannot be decrypted', () => {
    const options = { key: '$ENV.FIELD_KEY' };
    const entry = (operation: string, encoding = 'Hex'): object => ({
      operation,
      properties: ['email'],
      algorithm: 'Aes256Gcm',
      options: { ...options, encoding },
    });
    const model = { _person: { id: { type: 'Number', primary_key: true }, email: { type: 'String', max_length: 90 } } };
    const rules = [{ field: { email: { type: 'EMAIL' } } }];
    const query = (text: string, parameters: readonly string[], ciphers: object[], rest: object = {}): JsonObject =>
      createOpenApiDocument({
        'm.json': model,
        'a.json': doing({ mode: 'QUERY', sql_query: { query: text, parameters }, ciphers, ...rest }),
      });
    const read = query('SELECT email FROM person LIMIT 1', [], [entry('Decrypt')], { returnables: ['email'] });
    expect(getAtPointer(getAnswerSchema(read, '/a') as JsonObject, 'anyOf', '0', 'properties', 'email')).to.deep.equal(
      {},
    );
    expect(getErrorCodes(read, '/a', 422))
      .to.include('CPH_OPEN')
      .and.not.include('CPH_ITEMS');
    const insert = 'INSERT INTO person (id, email) VALUES (1, $1)';
    const write = query(insert, ['email'], [entry('Encrypt')], { payload_validation: rules });
    expect(getErrorCodes(write, '/a', 413))
      .to.include('CPH_TOO_MANY')
      .and.not.include('CPH_TOO_LONG');
    const short = query(insert, ['email'], [entry('Encrypt', 'Base58')], { payload_validation: rules });
    expect(getErrorCodes(short, '/a', 413)).to.include('CPH_TOO_LONG');
  });
});
