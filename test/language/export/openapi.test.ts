/**
 * The OpenAPI document as a pure function: valid for all valid definitions, with requests, guards and rejections.
 * Nothing is served here.
 */
import { expect } from 'chai';
import { join } from 'node:path';
import type { JsonObject } from '../../../contract/json.js';
import { listCaseNames, CONFIG, DEFINITIONS, readFiles } from '../../support/fixtures.js';
import { listDocumentErrors, createDocumentChecker } from '../../support/openapi.js';
import {
  getAnswerSchema,
  getAtPointer,
  getBodySchema,
  getErrorCodes,
  createDocumentFromFiles,
  createOpenApiDocument,
  NOTE,
  registry,
  listStatuses,
  mergeDocuments,
} from '../../support/openapi-documents.js';
import { defineReturnResource } from '../../support/project.js';
import { sampleCases } from '../../support/sample.js';

describe('openapi document', () => {
  it('is valid for fixtures of the checker', async function () {
    const cases = sampleCases('edits', 'documents', listCaseNames(), 60);
    const all = mergeDocuments(cases.map((name) => createDocumentFromFiles(readFiles(join(DEFINITIONS, name)))));
    expect(Object.keys(all['paths'] as object).length).to.be.greaterThan(cases.length / 3);
    expect(await listDocumentErrors(all)).to.equal('');
  });

  it('is valid for every example of every plugin', async function () {
    const documents = [...registry.plugins.values()].flatMap((spec) =>
      spec.examples.map(({ json }) => {
        const host = registry.kind(spec.kind)?.host(json, spec);
        const file = host?.file === 'config' ? CONFIG : host?.file === 'test' ? 'a.test.json' : 'a.json';
        return createDocumentFromFiles([{ file, text: JSON.stringify(host?.json ?? {}) }]);
      }),
    );
    const all = mergeDocuments(documents);
    expect(Object.keys(all['paths'] as object).length).to.be.greaterThan(50);
    expect(await listDocumentErrors(all)).to.equal('');
  });

  it('is validated by a check that can fail', async () => {
    const document = createOpenApiDocument({ 'a.json': defineReturnResource('a', 1) });
    expect(await listDocumentErrors({ ...document, info: {} })).to.contain('title');
    const validate = createDocumentChecker(document);
    const answer = (status: number, body: unknown) => ({
      status,
      body,
      text: JSON.stringify(body),
      headers: new Headers({ 'content-type': 'application/json' }),
    });
    validate.checkCall('POST', '/a', {}, answer(200, 1));
    expect(() => validate.checkCall('POST', '/a', {}, answer(200, 'text'))).to.throw('/a 200');
    expect(() => validate.checkCall('POST', '/a', {}, answer(409, {}))).to.throw('may not answer 409');
    expect(() => validate.checkCall('POST', '/b', {}, answer(200, 1))).to.throw('not in the document');
  });

  it('omits invalid and unreachable resources', () => {
    const document = createOpenApiDocument({
      'a.json': defineReturnResource('a', 1),
      'b.json': { id: 'b', resource: 'b' },
      'c.json': { id: 'c', resource: 'c', actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }] },
    });
    expect(Object.keys(document['paths'] as object)).to.deep.equal(['/a']);
  });

  it('has rules as schemas: bounds, nesting, optional fields, closed objects', () => {
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
    const document = createOpenApiDocument({
      'a.json': defineReturnResource('a', 1),
      'b.json': {
        id: 'b',
        resource: 'b',
        actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD', payload_validation }],
      },
    });
    expect(getBodySchema(document, '/b')).to.deep.equal({
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
    expect(getErrorCodes(document, '/b', 422)).to.include('VAL_PAYLOAD');
    expect(listStatuses(document, '/a')).to.not.include('409');
  });

  it('has values in the path and in the query string as parameters', () => {
    const rules = [{ field: { id: { type: 'NUMBER' }, q: { type: 'STRING', optional: true } } }];
    const document = createOpenApiDocument(
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
      description: 'A header that the endpoint reads.',
      required: true,
      schema: { type: 'string' },
    };
    expect(getAtPointer(document, 'paths', '/notes/{id}', 'get', 'parameters')).to.deep.equal([path, query, header]);
    expect(getAtPointer(document, 'paths', '/notes/{id}', 'post', 'parameters')).to.deep.equal([path, header]);
    expect(
      Object.keys(getAtPointer(getBodySchema(document, '/notes/{id}') as JsonObject, 'properties') as object),
    ).to.deep.equal(['q']);
    expect(getAtPointer(document, 'paths', '/notes/{id}', 'get', 'operationId')).to.equal('a:get');
    expect(listStatuses(document, '/notes/{id}', 'get')).to.not.include('415');
  });

  it('names payload fields that accessors and parameters read without a rule', () => {
    const document = createOpenApiDocument({
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
    expect(getBodySchema(document, '/a')).to.deep.equal({
      type: 'object',
      properties: { text: {}, stars: {} },
      required: ['stars'],
    });
    expect(getAnswerSchema(document, '/a')).to.deep.equal({ type: 'null' });
  });
});
