/**
 * Sample requests: values generated from schemas match them, and the sample payload of a resource matches its schema in
 * the OpenAPI document, for all fixtures.
 */
import { Ajv2020 } from 'ajv-2020/dist/2020.js';
import { expect } from 'chai';
import { join } from 'node:path';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import { createOpenapi } from '../../../language/export/openapi/document.js';
import { createRequestShape, type RequestShape } from '../../../language/export/openapi/request.js';
import { sampleSchema } from '../../../language/schema/sample.js';
import { listCaseNames, CONFIG, DEFINITIONS, FIXTURE_ENV, readFiles, SQL } from '../../support/fixtures.js';
import { getAtPointer, registry, resolveRefs } from '../../support/openapi-documents.js';

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/, 'date-time': true, date: true, uuid: true, binary: true, uri: true },
});
const issues = (schema: object, value: unknown): string =>
  ajv.validate(schema, value) ? '' : `${ajv.errorsText()} for ${JSON.stringify(value)}`;

interface Both {
  readonly document: JsonObject;
  readonly shapes: readonly RequestShape[];
}

function read(files: readonly { file: string; text: string }[]): Both {
  const text = files.find(({ file }) => file === CONFIG)?.text ?? '{}';
  const { config } = analyseConfig(CONFIG, text, registry, FIXTURE_ENV);
  if (config === null) return { document: {}, shapes: [] };
  const definitions = files.filter(({ file }) => file !== CONFIG);
  const analysis = analyseFiles(definitions, registry, { env: FIXTURE_ENV, sql: SQL, given: config });
  const input = { analysis, registry, config, info: { title: 'test', version: '1' }, sql: SQL };
  const shapes = analysis.resources.flatMap((one) => (one.sound ? (createRequestShape(input, one) ?? []) : []));
  return { document: createOpenapi(input), shapes };
}

const readShape = (json: object): RequestShape => {
  const { shapes } = read([{ file: 'a.json', text: JSON.stringify(json) }]);
  expect(shapes, 'the definition is not sound').to.have.lengthOf(1);
  return shapes[0]!;
};

const returning = (fields: object, more: object = {}, value: Json = 1): object => ({
  id: 'a',
  resource: 'a',
  actionables: [{ id: 1, mode: 'RETURN', payload_validation: [{ field: fields }], value }],
  ...more,
});

describe('sample values of schemas', () => {
  const schemas: readonly JsonObject[] = [
    { type: 'string' },
    { type: 'string', minLength: 30 },
    { type: 'string', maxLength: 2 },
    { type: 'string', minLength: 5, maxLength: 5 },
    { type: 'string', maxLength: 0 },
    { type: 'string', format: 'email', maxLength: 254 },
    { type: 'string', format: 'email', minLength: 200, maxLength: 254 },
    { type: 'string', format: 'email', minLength: 16, maxLength: 17 },
    { type: 'string', format: 'email', maxLength: 8 },
    { type: 'number', minimum: 0.01 },
    { type: 'number', maximum: -3 },
    { type: 'number', exclusiveMinimum: 1 },
    { type: 'integer', minimum: 0.5, maximum: 7 },
    { type: 'integer', minimum: 7, multipleOf: 5 },
    { type: ['string', 'null'], maxLength: 3 },
    { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2, maxItems: 4 },
    { type: 'array', items: { type: 'string' }, maxItems: 0 },
    { enum: ['b', 'a'] },
    { const: 7 },
    { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 4 }] },
    {
      allOf: [
        { type: 'string', minLength: 2 },
        { type: 'string', minLength: 9, maxLength: 12 },
      ],
    },
    {
      allOf: [
        { type: 'number', minimum: 2 },
        { type: 'integer', maximum: 3 },
      ],
    },
    {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] } },
      required: ['a'],
    },
  ];
  for (const schema of schemas) {
    it(JSON.stringify(schema), () => {
      for (const everything of [false, true]) expect(issues(schema, sampleSchema(schema, everything))).to.equal('');
    });
  }

  it('show a nullable value as its other type', () => {
    expect(sampleSchema({ type: ['null', 'integer'] })).to.equal(1);
  });
});

describe('sample requests', () => {
  it('match the schemas of fixtures, with and without optional fields', () => {
    let validated = 0;
    let ruled = 0;
    for (const name of listCaseNames()) {
      const { document, shapes } = read(readFiles(join(DEFINITIONS, name)));
      for (const shape of shapes) {
        const path = shape.path.replace(/:([^/]+)/g, '{$1}');
        const operation = getAtPointer(document, 'paths', path, shape.methods[0]!.toLowerCase()) as JsonObject;
        expect(operation, `${name} ${path}`).to.be.an('object');
        const body = resolveRefs(document, operation['requestBody']) as JsonObject | undefined;
        const content = getAtPointer(body, 'content') as Record<string, { schema: JsonObject }> | undefined;
        const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content ?? {});
        if (content === undefined || type !== 'application/json') continue;
        validated++;
        if (JSON.stringify(shape.payload) !== '{}') ruled++;
        expect(issues(schema, shape.payload), `${name} ${path}`).to.equal('');
        const { payload, optional } = shape;
        if (!Array.isArray(payload)) expect(issues(schema, { ...(payload as object), ...optional }), name).to.equal('');
      }
    }
    expect(validated).to.be.at.least(50);
    expect(ruled).to.be.at.least(20);
  });

  it('distinguish required fields from optional ones', () => {
    const fields = { email: { type: 'EMAIL' }, age: { type: 'NUMBER', integer: true, min: 18, optional: true } };
    const { payload, optional } = readShape(returning(fields));
    expect(payload).to.deep.equal({ email: 'ada@example.com' });
    expect(optional).to.deep.equal({ age: 18 });
  });

  it('contain fields that only accessors read, at their path', () => {
    const { payload } = readShape(
      returning({ note: { type: 'STRING' } }, {}, ['$PAYLOAD.who.name', '$PAYLOAD.note'] as never),
    );
    expect(payload).to.deep.equal({ note: 'text', who: { name: 'text' } });
  });

  it('omit path parameters', () => {
    const { path, parameters, payload } = readShape(
      returning({ page: { type: 'NUMBER', min: 3 } }, { resource: 'notes/:note/:page' }),
    );
    expect(path).to.equal('/notes/:note/:page');
    expect(parameters).to.deep.equal([
      { name: 'note', sample: 'text' },
      { name: 'page', sample: '3' },
    ]);
    expect(payload).to.deep.equal({});
  });

  it('name the header of a token', () => {
    const tokenize = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
    const ways = (guard: object) =>
      readShape(returning({ a: { type: 'STRING' } }, { tokenize, protected: guard })).ways;
    expect(ways({})[0]?.[0]).to.include({ header: 'Authorization', prefix: 'Bearer ' });
    expect(ways({ provide_as: 'x-door' })[0]?.[0]).to.include({ header: 'x-door', prefix: '' });
    expect(readShape(returning({ a: { type: 'STRING' } })).ways).to.deep.equal([[]]);
  });
});
