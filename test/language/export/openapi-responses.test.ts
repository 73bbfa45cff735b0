/**
 * Responses in the OpenAPI document: rows of statements, combined results, rejections of the database; and the time it
 * takes.
 */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import type { JsonObject } from '../../../contract/json.js';
import { createOpenapi } from '../../../language/export/openapi/document.js';
import { measureLeastCpuTime } from '../../support/cpu.js';
import { CONFIG, FIXTURE_ENV, SQL } from '../../support/fixtures.js';
import {
  getAnswerSchema,
  getAtPointer,
  getBodySchema,
  getErrorCodes,
  createOpenApiDocument,
  ID,
  NOTE,
  registry,
  listStatuses,
  TEXT,
} from '../../support/openapi-documents.js';
import { defineQueryResource, defineReturnResource } from '../../support/project.js';

const BUDGET = 100;

describe('OpenAPI responses', () => {
  it('contain the rows of statements: types, null, count', () => {
    const rows = (query: string, rest: object = {}): unknown => {
      const document = createOpenApiDocument({
        'm.json': NOTE,
        'a.json': defineQueryResource('a', query, query.includes('$1') ? ['id'] : [], rest),
      });
      return getAnswerSchema(document, '/a');
    };
    const createObjectSchema = (properties: object): object => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    });
    const NONE = { type: 'null' };
    expect(rows('SELECT id, stars FROM note WHERE id = $1')).to.deep.equal({
      anyOf: [createObjectSchema({ id: ID, stars: { type: ['integer', 'null'] } }), NONE],
    });
    expect(rows('SELECT text AS said FROM note', { result: 'many' })).to.deep.equal({
      type: 'array',
      items: createObjectSchema({ said: TEXT }),
    });
    expect(rows('SELECT count(*)::int AS n, max(stars) FROM note')).to.deep.equal(
      createObjectSchema({ n: { type: 'integer' }, max: {} }),
    );
    expect(rows('SELECT id FROM note')).to.deep.equal({
      anyOf: [
        createObjectSchema({ id: ID }),
        NONE,
        { type: 'array', items: createObjectSchema({ id: ID }), minItems: 2 },
      ],
    });
    expect(
      rows('SELECT b.id FROM note a LEFT JOIN note b ON b.id = a.text LIMIT 1', { must_return_value: true }),
    ).to.deep.equal(createObjectSchema({ id: { ...ID, type: ['string', 'null'] } }));
    const one = rows('SELECT id FROM note WHERE stars = 1 AND id = $1');
    expect(one).to.deep.equal({ anyOf: [createObjectSchema({ id: ID }), NONE] });
    expect(rows('SELECT id FROM note WHERE stars = 1 OR id = $1'), 'any number').not.to.deep.equal(one);
    expect(rows('SELECT x.id FROM (SELECT 1 AS id) x LIMIT 1')).to.deep.equal({
      anyOf: [createObjectSchema({ id: {} }), NONE],
    });
    expect(rows('SELECT * FROM note LIMIT 1', { result: 'one', must_return_value: true })).to.deep.equal(
      createObjectSchema({
        id: ID,
        text: TEXT,
        stars: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        written_at: { type: 'string', format: 'date-time' },
      }),
    );
    expect(
      rows('DELETE FROM note WHERE text = $1 RETURNING id', { result: 'many', must_return_value: true }),
    ).to.deep.equal({ type: 'array', items: createObjectSchema({ id: ID }), minItems: 1 });
  });

  it('contain only the columns for a database with another SQL syntax', () => {
    const main = (use: string): object => ({ connections: { main: { use, url: '$ENV.EXAMPLE_KEY' } } });
    const rows = (use: string, query: string): unknown =>
      getAnswerSchema(
        createOpenApiDocument(
          { 'm.json': NOTE, 'a.json': defineQueryResource('a', query, [], { result: 'many' }) },
          main(use),
        ),
        '/a',
      );
    const items = (answer: unknown): unknown => getAtPointer(answer as JsonObject, 'items', 'properties');
    const computed = 'SELECT id, count(*) AS n, stars > 1 AND stars < 3 AS few, lower(text) AS t FROM note GROUP BY id';
    expect(items(rows('postgres', computed))).to.deep.equal({
      id: ID,
      n: { type: 'integer' },
      few: { type: ['boolean', 'null'] },
      t: { type: ['string', 'null'] },
    });
    expect(items(rows('mysql', computed))).to.deep.equal({ id: ID, n: { type: 'integer' }, few: {}, t: {} });
    expect(items(rows('mysql', 'SELECT "id", stars FROM "note"'))).to.deep.equal({
      id: ID,
      stars: { type: ['integer', 'null'] },
    });
    const open = { type: 'array', items: { type: 'object' } };
    expect(rows('mysql', 'SELECT id FROM note ORDER BY id LIMIT 1, 2')).to.deep.equal(open);
  });

  it('have one entry for each item of a list, null for an item without a result', () => {
    const each = (query: string): unknown => {
      const sql_query = { query, parameters: ['id'], multi: true };
      const files = {
        'm.json': NOTE,
        'a.json': { id: 'a', resource: 'a', actionables: [{ id: 1, mode: 'QUERY', sql_query }], returnables: ['id'] },
      };
      const document = createOpenApiDocument(files);
      expect(getAtPointer(getBodySchema(document, '/a') as JsonObject, 'type')).to.equal('array');
      return getAnswerSchema(document, '/a');
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
      items: { anyOf: [row, { type: 'null' }] },
    });
  });

  it('list the rejections of the database that a statement can cause', () => {
    const codes = (query: string, status: number): unknown =>
      getErrorCodes(
        createOpenApiDocument({ 'm.json': NOTE, 'a.json': defineQueryResource('a', query, ['id']) }),
        '/a',
        status,
      );
    expect(codes('SELECT id FROM note WHERE id = $1', 409)).to.equal(undefined);
    expect(codes('UPDATE note SET text = $1 WHERE true', 409)).to.include('QRY_UNIQUE');
    expect(codes('DELETE FROM note WHERE id = $1', 409)).to.deep.equal(['QRY_FOREIGN_KEY', 'QRY_SERIALIZATION']);
    expect(codes('SELECT id FROM note WHERE id = $1', 503)).to.deep.equal([
      'QRY_CROWDED',
      'QRY_TIMEOUT',
      'QRY_UNAVAILABLE',
    ]);
  });

  it('combine results as they are sent: named, combined, wrapped', () => {
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
    expect(getAnswerSchema(createOpenApiDocument(files), '/a')).to.deep.equal(data);
    expect(getAnswerSchema(createOpenApiDocument(files, { envelope: 'success-message-data' }), '/a')).to.deep.equal({
      type: 'object',
      properties: { success: { type: 'boolean', const: true }, message: { type: 'string' }, data },
      required: ['success', 'message', 'data'],
    });
  });

  it('have a security scheme for each key and header that authenticates callers', () => {
    const defineTokenResource = (id: string, key: string, rest: object = {}): object =>
      defineReturnResource(
        id,
        { id: '$PROTECTED.id' },
        { tokenize: { type: 'JWT', encryption_key: key }, protected: { extract_claims: ['id'], ...rest } },
      );
    const document = createOpenApiDocument({
      'a.json': defineTokenResource('a', '$ENV.JWT_SECRET_KEY'),
      'b.json': defineTokenResource('b', '$ENV.JWT_SECRET_KEY'),
      'c.json': defineTokenResource('c', '$ENV.GUEST_KEY'),
      'd.json': defineTokenResource('d', '$ENV.JWT_SECRET_KEY', { provide_as: 'x-pass' }),
      'e.json': defineReturnResource('e', 1),
    });
    const of = (id: string): unknown => getAtPointer(document, 'paths', `/${id}`, 'post', 'security');
    expect(['a', 'b', 'c', 'd', 'e'].map(of)).to.deep.equal([
      [{ JWT: [] }],
      [{ JWT: [] }],
      [{ 'JWT-2': [] }],
      [{ 'x-pass': [] }],
      // Said, so that it is not taken for forgotten.
      [],
    ]);
    expect(getAtPointer(document, 'components', 'securitySchemes', 'x-pass', 'in')).to.equal('header');
    expect(getErrorCodes(document, '/a', 401)).to.deep.equal(['TOK_REFUSED']);
    expect(getErrorCodes(document, '/a', 403)).to.deep.equal(['ACC_CLAIM']);
    expect(JSON.stringify(document)).to.not.contain('JWT_SECRET_KEY');
  });

  it('have the status and the text of the definition', () => {
    const rest = { must_return_value: true, on_empty: { status: 410, message: 'It is gone.' } };
    const document = createOpenApiDocument({
      'm.json': NOTE,
      'a.json': defineQueryResource('a', 'SELECT id FROM note WHERE id = $1', ['id'], rest),
    });
    expect(getAtPointer(document, 'paths', '/a', 'post', 'responses', '410', 'description')).to.equal(
      '- `ACT_NO_VALUE`: It is gone.',
    );
    expect(listStatuses(document, '/a')).to.not.include('404');
  });

  it('do not depend on the order of files', () => {
    const [a, b] = [
      { 'a.json': defineReturnResource('a', 1) },
      { 'b.json': defineReturnResource('b', { x: '$DATETIME' }) },
    ];
    expect(JSON.stringify(createOpenApiDocument({ ...a, ...b }))).to.equal(
      JSON.stringify(createOpenApiDocument({ ...b, ...a })),
    );
  });

  it(`are generated for 200 resources within ${BUDGET} ms`, () => {
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
    const analysis = analyseFiles(files, registry, { env: FIXTURE_ENV, sql: SQL });
    const least = measureLeastCpuTime({ rounds: 12, bound: BUDGET }, () => {
      const document = createOpenapi({ analysis, registry, config, info: { title: 't', version: '1' }, sql: SQL });
      expect(Object.keys(document['paths'] as object)).to.have.length(200);
    });
    process.stdout.write(`      200 resources: ${least.toFixed(0)} ms\n`);
    expect(least).to.be.lessThan(BUDGET);
  }).timeout(60_000);
});
