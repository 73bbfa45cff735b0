/**
 * The OpenAPI document as a pure function: valid for whatever the front end calls sound, and exact where a definition says
 * something. Nothing is served here.
 */
import { expect } from 'chai';
import { analyse } from '../../kernel/analysis/analyse.js';
import { analyseConfig } from '../../kernel/analysis/config.js';
import type { Json, JsonObject } from '../../kernel/contract/json.js';
import { openapiOf } from '../../kernel/export/openapi/document.js';
import { caseNames, CONFIG, DEFINITIONS, FIXTURE_ENV, readFiles, SQL, trialRegistry } from '../support/fixtures.js';
import { documentFlaws, judgeOf } from '../support/openapi.js';
import { querying, returning, type Files } from '../support/project.js';
import { join } from 'node:path';

const registry = trialRegistry();
const SLACK = process.env['CI'] === undefined ? 1 : 2;
const BUDGET = 100 * SLACK;

function describeFiles(files: readonly { file: string; text: string }[], written: object = {}): JsonObject {
  const text = files.find(({ file }) => file === CONFIG)?.text ?? JSON.stringify(written);
  const { config } = analyseConfig(CONFIG, text, registry, FIXTURE_ENV);
  if (config === null) return {};
  const analysis = analyse(
    files.filter(({ file }) => file !== CONFIG),
    registry,
    { env: FIXTURE_ENV, sql: SQL },
  );
  return openapiOf({ analysis, registry, config, info: { title: 'test', version: '1.0.0' }, sql: SQL });
}

/** Definitions that are sound, or the test is wrong. */
function documentOf(definitions: Files, config: object = {}): JsonObject {
  const files = Object.entries(definitions).map(([file, json]) => ({ file, text: JSON.stringify(json) }));
  const document = describeFiles(files, config);
  expect(Object.keys(document['paths'] as object), 'nothing is sound').not.to.deep.equal([]);
  return document;
}

const at = (json: Json | undefined, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], json);
const bodyOf = (document: JsonObject, path: string): unknown =>
  at(document, 'paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
const answerOf = (document: JsonObject, path: string): unknown =>
  at(document, 'paths', path, 'post', 'responses', '200', 'content', 'application/json', 'schema');
const statusesOf = (document: JsonObject, path: string, method = 'post'): string[] =>
  Object.keys(at(document, 'paths', path, method, 'responses') as object);
const codesOf = (document: JsonObject, path: string, status: number): unknown =>
  at(
    document,
    ...['paths', path, 'post', 'responses', String(status), 'content'],
    ...['application/problem+json', 'schema', 'allOf', '1', 'properties', 'code', 'enum'],
  );

const NOTE = {
  _note: {
    id: { type: 'String', primary_key: true, max_length: 26 },
    text: { type: 'String', max_length: 500 },
    stars: { type: 'Number', optional: true },
    tags: { type: 'JSON_ARRAY', property_type: 'String' },
    hidden: { type: 'String', secret: true },
    written_at: { type: 'DateTime' },
  },
};
const ID = { type: 'string', maxLength: 26 };
const TEXT = { type: 'string', maxLength: 500 };

describe('openapi document', () => {
  it('is valid for every fixture of the checker', async function () {
    this.timeout(60_000);
    let operations = 0;
    for (const name of caseNames()) {
      const document = describeFiles(readFiles(join(DEFINITIONS, name)));
      const paths = Object.keys((document['paths'] ?? {}) as object).length;
      if (paths === 0) continue;
      operations += paths;
      expect(await documentFlaws(document), name).to.equal('');
    }
    expect(operations).to.be.greaterThan(50);
  });

  it('is judged by a check that can fail', async () => {
    const document = documentOf({ 'a.json': returning('a', 1) });
    expect(await documentFlaws({ ...document, info: {} })).to.contain('title');
    const judge = judgeOf(document);
    const answer = (status: number, body: unknown) => ({
      status,
      body,
      text: JSON.stringify(body),
      headers: new Headers({ 'content-type': 'application/json' }),
    });
    judge.call('POST', '/a', {}, answer(200, 1));
    expect(() => judge.call('POST', '/a', {}, answer(200, 'text'))).to.throw('/a 200');
    expect(() => judge.call('POST', '/a', {}, answer(409, {}))).to.throw('may not answer 409');
    expect(() => judge.call('POST', '/b', {}, answer(200, 1))).to.throw('not in the document');
  });

  it('leaves out what is broken and what nobody reaches', () => {
    const document = documentOf({
      'a.json': returning('a', 1),
      'b.json': { id: 'b', resource: 'b' },
      'c.json': { id: 'c', resource: 'c', actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }] },
    });
    expect(Object.keys(document['paths'] as object)).to.deep.equal(['/a']);
  });

  it('has rules as schemas: bounds, nesting, what is optional, what is closed', () => {
    const payload_validation = [
      { field: { name: { type: 'STRING' }, mail: { type: 'EMAIL', optional: true } }, min_length: 2, max_length: 80 },
      {
        field: {
          count: { type: 'NUMBER', integer: true, min: 1 },
          at: { type: 'OBJECT', closed: true, max_length: 9, fields: { city: { type: 'STRING' } } },
          tags: { type: 'STRINGARRAY', arr_length: 4, items_max_length: 20 },
          rows: { type: 'ARRAY', arr_min_length: 1, fields: { sku: { type: 'STRING', optional: true } } },
        },
      },
    ];
    const document = documentOf({
      'a.json': returning('a', 1),
      'b.json': {
        id: 'b',
        resource: 'b',
        actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD', payload_validation }],
      },
    });
    expect(bodyOf(document, '/b')).to.deep.equal({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, maxLength: 80 },
        mail: { type: ['string', 'null'], minLength: 2, maxLength: 80, format: 'email' },
        count: { type: 'integer', minimum: 1 },
        at: {
          type: 'object',
          properties: { city: { type: 'string', maxLength: 9 } },
          required: ['city'],
          additionalProperties: false,
        },
        tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 4 },
        rows: {
          type: 'array',
          items: { type: 'object', properties: { sku: { type: ['string', 'null'] } } },
          minItems: 1,
        },
      },
      required: ['name', 'count', 'at', 'tags', 'rows'],
    });
    expect(codesOf(document, '/b', 422)).to.include('VAL_PAYLOAD');
    expect(statusesOf(document, '/a')).to.not.include('409');
  });

  it('has values in the path and in the query string as parameters', () => {
    const rules = [{ field: { id: { type: 'NUMBER' }, q: { type: 'STRING', optional: true } } }];
    const document = documentOf(
      {
        'a.json': {
          id: 'a',
          resource: 'notes/:id',
          actionables: [
            {
              id: 1,
              mode: 'RETURN',
              value: { id: '$PAYLOAD.id', agent: '$HEADER.x-agent' },
              payload_validation: rules,
            },
          ],
        },
      },
      { http: { methods: ['GET', 'POST'] } },
    );
    const path = { name: 'id', in: 'path', required: true, schema: { type: 'number' } };
    const query = { name: 'q', in: 'query', schema: { type: ['string', 'null'] } };
    const header = {
      name: 'x-agent',
      in: 'header',
      description: 'Read by the endpoint.',
      required: true,
      schema: { type: 'string' },
    };
    expect(at(document, 'paths', '/notes/{id}', 'get', 'parameters')).to.deep.equal([path, query, header]);
    expect(at(document, 'paths', '/notes/{id}', 'post', 'parameters')).to.deep.equal([path, header]);
    expect(Object.keys(at(bodyOf(document, '/notes/{id}') as JsonObject, 'properties') as object)).to.deep.equal(['q']);
    expect(at(document, 'paths', '/notes/{id}', 'get', 'operationId')).to.equal('a:get');
    expect(statusesOf(document, '/notes/{id}', 'get')).to.not.include('415');
  });

  it('names what accessors and parameters take from the payload where no rule does', () => {
    const document = documentOf({
      'm.json': NOTE,
      'a.json': {
        id: 'a',
        resource: 'a',
        actionables: [
          {
            id: 1,
            mode: 'QUERY',
            generate: 'ULID',
            for: 'id',
            sql_query: {
              query: 'UPDATE _note SET text = $2, stars = $3 WHERE id = $1',
              parameters: ['$PAYLOAD.id', 'text', '$PAYLOAD.stars'],
            },
          },
        ],
      },
    });
    expect(bodyOf(document, '/a')).to.deep.equal({
      type: 'object',
      properties: { text: {}, stars: {} },
      required: ['stars'],
    });
    expect(answerOf(document, '/a')).to.deep.equal({ type: 'null' });
  });

  it('knows the rows of statements: types, null, how many', () => {
    const rows = (query: string, rest: object = {}): unknown => {
      const document = documentOf({
        'm.json': NOTE,
        'a.json': querying('a', query, query.includes('$1') ? ['id'] : [], rest),
      });
      return answerOf(document, '/a');
    };
    const one = (properties: object): object => ({ type: 'object', properties, required: Object.keys(properties) });
    const NONE = { type: 'null' };
    expect(rows('SELECT id, stars FROM note WHERE id = $1')).to.deep.equal({
      anyOf: [one({ id: ID, stars: { type: ['integer', 'null'] } }), NONE],
    });
    expect(rows('SELECT text AS said FROM note', { result: 'many' })).to.deep.equal({
      type: 'array',
      items: one({ said: TEXT }),
    });
    expect(rows('SELECT count(*)::int AS n, max(stars) FROM note')).to.deep.equal(
      one({ n: { type: 'integer' }, max: {} }),
    );
    expect(rows('SELECT id FROM note')).to.deep.equal({
      anyOf: [one({ id: ID }), NONE, { type: 'array', items: one({ id: ID }), minItems: 2 }],
    });
    expect(
      rows('SELECT b.id FROM note a LEFT JOIN note b ON b.id = a.text LIMIT 1', { must_return_value: true }),
    ).to.deep.equal(one({ id: { ...ID, type: ['string', 'null'] } }));
    expect(rows('SELECT x.id FROM (SELECT 1 AS id) x LIMIT 1')).to.deep.equal({ anyOf: [one({ id: {} }), NONE] });
    expect(rows('SELECT * FROM note LIMIT 1', { result: 'one', must_return_value: true })).to.deep.equal(
      one({
        id: ID,
        text: TEXT,
        stars: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        written_at: { type: 'string', format: 'date-time' },
      }),
    );
    expect(
      rows('DELETE FROM note WHERE text = $1 RETURNING id', { result: 'many', must_return_value: true }),
    ).to.deep.equal({ type: 'array', items: one({ id: ID }), minItems: 1 });
  });

  it('has one entry for each item of a list, null where an item gave none', () => {
    const each = (query: string): unknown => {
      const sql_query = { query, parameters: ['id'], multi: true };
      const files = {
        'm.json': NOTE,
        'a.json': { id: 'a', resource: 'a', actionables: [{ id: 1, mode: 'QUERY', sql_query }], returnables: ['id'] },
      };
      const document = documentOf(files);
      expect(at(bodyOf(document, '/a') as JsonObject, 'type')).to.equal('array');
      return answerOf(document, '/a');
    };
    const row = { type: 'object', properties: { id: ID }, required: ['id'] };
    expect(
      each("INSERT INTO note (id, text, tags, hidden, written_at) VALUES ($1, 'x', '[]', 'x', now())"),
    ).to.deep.equal({
      type: 'array',
      items: row,
    });
    expect(each('DELETE FROM note WHERE id = $1 RETURNING id')).to.deep.equal({
      type: 'array',
      items: { ...row, type: ['object', 'null'] },
    });
  });

  it('says which refusals of the database a statement can meet', () => {
    const codes = (query: string, status: number): unknown =>
      codesOf(documentOf({ 'm.json': NOTE, 'a.json': querying('a', query, ['id']) }), '/a', status);
    expect(codes('SELECT id FROM note WHERE id = $1', 409)).to.equal(undefined);
    expect(codes('UPDATE note SET text = $1', 409)).to.include('QRY_UNIQUE');
    expect(codes('DELETE FROM note WHERE id = $1', 409)).to.deep.equal(['QRY_FOREIGN_KEY', 'QRY_SERIALIZATION']);
    expect(codes('SELECT id FROM note WHERE id = $1', 503)).to.deep.equal(['QRY_TIMEOUT', 'QRY_UNAVAILABLE']);
  });

  it('puts results together as they leave: what is named, combined, wrapped', () => {
    const value = { id: '$GENERATOR.ULID', at: '$DATETIME', note: 'x $DATETIME', inner: { a: [1, 2] } };
    const files = {
      'a.json': {
        id: 'a',
        resource: 'a',
        actionables: [
          { id: 1, mode: 'RETURN', value },
          { id: 2, mode: 'RETURN', value: { last: true, at: 1 } },
        ],
        combine_returned_results_from: [1],
        returnables: ['at', 'inner.a', 'last', 'nowhere', 'id'],
      },
    };
    const data = {
      type: 'object',
      properties: {
        at: {},
        inner: {
          type: 'object',
          properties: {
            a: {
              type: 'array',
              items: {
                anyOf: [
                  { type: 'integer', const: 1 },
                  { type: 'integer', const: 2 },
                ],
              },
              minItems: 2,
              maxItems: 2,
            },
          },
        },
        last: { type: 'boolean', const: true },
        id: { type: 'string', pattern: '^(?:[0-7][0-9A-HJKMNP-TV-Z]{25})$' },
      },
      required: ['at', 'last', 'id'],
    };
    expect(answerOf(documentOf(files), '/a')).to.deep.equal(data);
    expect(answerOf(documentOf(files, { envelope: 'success-message-data' }), '/a')).to.deep.equal({
      type: 'object',
      properties: { success: { type: 'boolean', const: true }, message: { type: 'string' }, data },
      required: ['success', 'message', 'data'],
    });
  });

  it('has a security scheme for each key and header that callers are judged by', () => {
    const guarded = (id: string, key: string, rest: object = {}): object =>
      returning(
        id,
        { id: '$PROTECTED.id' },
        { tokenize: { type: 'JWT', encryption_key: key }, protected: { extract_claims: ['id'], ...rest } },
      );
    const document = documentOf({
      'a.json': guarded('a', '$ENV.JWT_SECRET_KEY'),
      'b.json': guarded('b', '$ENV.JWT_SECRET_KEY'),
      'c.json': guarded('c', '$ENV.GUEST_KEY'),
      'd.json': guarded('d', '$ENV.JWT_SECRET_KEY', { provide_as: 'x-pass' }),
      'e.json': returning('e', 1),
    });
    const of = (id: string): unknown => at(document, 'paths', `/${id}`, 'post', 'security');
    expect(['a', 'b', 'c', 'd', 'e'].map(of)).to.deep.equal([
      [{ JWT: [] }],
      [{ JWT: [] }],
      [{ 'JWT-2': [] }],
      [{ 'x-pass': [] }],
      undefined,
    ]);
    expect(at(document, 'components', 'securitySchemes', 'x-pass', 'in')).to.equal('header');
    expect(codesOf(document, '/a', 401)).to.deep.equal(['TOK_REFUSED']);
    expect(codesOf(document, '/a', 403)).to.deep.equal(['ACC_CLAIM']);
    expect(JSON.stringify(document)).to.not.contain('JWT_SECRET_KEY');
  });

  it('has the status and the sentence that a definition gives', () => {
    const rest = { must_return_value: true, on_empty: { status: 410, message: 'It is gone.' } };
    const document = documentOf({
      'm.json': NOTE,
      'a.json': querying('a', 'SELECT id FROM note WHERE id = $1', ['id'], rest),
    });
    expect(at(document, 'paths', '/a', 'post', 'responses', '410', 'description')).to.equal(
      '- `ACT_NO_VALUE`: It is gone.',
    );
    expect(statusesOf(document, '/a')).to.not.include('404');
  });

  it('does not depend on the order of files', () => {
    const [a, b] = [{ 'a.json': returning('a', 1) }, { 'b.json': returning('b', { x: '$DATETIME' }) }];
    expect(JSON.stringify(documentOf({ ...a, ...b }))).to.equal(JSON.stringify(documentOf({ ...b, ...a })));
  });

  it(`describes 200 resources within ${BUDGET} ms`, () => {
    const resource = (i: number): object => ({
      id: `note-${i}`,
      resource: `notes/${i}`,
      tokenize: { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' },
      protected: { extract_claims: ['id'] },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          no_op: true,
          payload_validation: [{ field: { text: { type: 'STRING' } }, max_length: 500 }],
          sql_query: { query: 'SELECT id, text, stars FROM note WHERE id = $1', parameters: ['$PROTECTED.id'] },
          must_return_value: true,
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'stars', for: 'before' }] },
          ],
          sql_query: {
            query: 'UPDATE note SET text = $1, stars = $2 WHERE id = $3 RETURNING id, text, stars',
            parameters: ['text', 'before', '$PROTECTED.id'],
          },
        },
      ],
      returnables: ['id', 'text', 'stars'],
    });
    const files = [
      { file: 'm.json', text: JSON.stringify(NOTE) },
      ...Array.from({ length: 200 }, (_, i) => ({ file: `${i}.json`, text: JSON.stringify(resource(i)) })),
    ];
    const { config } = analyseConfig(CONFIG, '{}', registry, FIXTURE_ENV);
    if (config === null) throw new Error('the config is not sound');
    const analysis = analyse(files, registry, { env: FIXTURE_ENV, sql: SQL });
    const times = Array.from({ length: 7 }, () => {
      const started = process.cpuUsage();
      const document = openapiOf({ analysis, registry, config, info: { title: 't', version: '1' }, sql: SQL });
      expect(Object.keys(document['paths'] as object)).to.have.length(200);
      return process.cpuUsage(started).user / 1000;
    });
    // Time of the processor, and the least of it: the machine may be shared.
    const least = Math.min(...times);
    process.stdout.write(`      200 resources: ${least.toFixed(0)} ms\n`);
    expect(least).to.be.lessThan(BUDGET);
  });
});
