/** Clients of definitions with unusual names, methods and bodies: compiled strictly, and what they send. */
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readClientParts } from '../../cli/openapi.js';
import type { JsonObject } from '../../contract/json.js';
import { writeClient } from '../../language/export/client/client.js';
import { writeComment, writeType } from '../../language/export/client/type-text.js';
import { nameOperations } from '../../language/export/openapi/names.js';
import { createOpenApiDocument, NOTE } from '../support/openapi-documents.js';
import { compileStrictly } from '../support/typed-client.js';

const value = (rest: object = {}, returned: unknown = { n: 1 }): object => ({
  actionables: [{ id: 1, mode: 'RETURN', value: returned, ...rest }],
});
const rule = (fields: object): object => ({ payload_validation: [{ field: fields }] });
const DEFINITIONS = {
  'm.json': NOTE,
  'a.json': [
    { id: 'odd', resource: 'odd.name/:x', ...value(rule({ "it's": { type: 'STRING' }, 'a "b"': { type: 'NUMBER' } })) },
    { id: 'same', resource: 'odd-name/:x', ...value() },
    { id: 'tenant', resource: 'tenant', ...value({}, { of: '$HEADER.x-tenant' }) },
    {
      id: 'lines',
      resource: 'orders/:order/lines',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          multi: true,
          sql_query: { query: 'UPDATE note SET text = $1 WHERE id = $2 RETURNING id', parameters: ['text', 'id'] },
        },
      ],
    },
    {
      id: 'shout',
      resource: 'shout',
      ...value({ broadcast_websocket_message: { broadcast_type: 'ALL', action: "the price's new" } }),
    },
  ],
};
const USE = `
import { createClient, type Events } from './client.js';
const asked: { url: string; method: string; body: string; tenant: string | null }[] = [];
export async function run() {
  const client = createClient({
    url: 'http://server.test',
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      asked.push({ url: String(url), method: init?.method ?? '', body: String(init?.body), tenant: headers.get('x-tenant') });
      return Promise.resolve(Response.json({ success: true, message: 'ok', data: { n: 1 } }));
    },
  });
  const odd = await client.oddNameByX2({ x: 'a/b', "it's": 'here', 'a "b"': 2 });
  await client.tenant({}, { headers: { 'x-tenant': 7 } });
  // @ts-expect-error: a header that is required.
  await client.tenant({});
  const event: Events["the price's new"] = { n: 1 };
  return { asked, data: odd.ok ? odd.data.n + event.n : 0 };
}
`;
const CONFIG = { envelope: 'success-message-data', websocket: { enabled: true } };

describe('typed clients of unusual definitions', () => {
  let folder = '';
  before(async () => void (folder = await mkdtemp(join(tmpdir(), 'lintel-test-'))));
  after(() => rm(folder, { recursive: true, force: true }));
  const write = async (config: object): Promise<string> =>
    writeClient(createOpenApiDocument(DEFINITIONS, config), await readClientParts());

  it('compile, send what was given, and return the result without its envelope', async () => {
    const files = { 'client.ts': await write(CONFIG), 'use.ts': USE };
    expect(await compileStrictly(join(folder, 'post'), files, 'node')).to.equal('');
    const { run } = (await import(pathToFileURL(join(folder, 'post', 'out', 'use.js')).href)) as {
      run: () => Promise<{ asked: JsonObject[]; data: number }>;
    };
    const { asked, data } = await run();
    expect(data).to.equal(2);
    expect(asked[0]).to.deep.equal({
      url: 'http://server.test/odd.name/a%2Fb',
      method: 'POST',
      body: JSON.stringify({ "it's": 'here', 'a "b"': 2 }),
      tenant: null,
    });
    expect(asked[1]).to.include({ url: 'http://server.test/tenant', tenant: '7' });
  });

  it('use a method with a body if there is one, else the query string', async () => {
    expect(await write({ http: { methods: ['GET', 'PUT'] } })).to.contain('"id":"odd","method":"PUT"');
    const text = await write({ http: { methods: ['GET'] } });
    expect(text).to.contain('"id":"odd","method":"GET"').and.contain("readonly 'it\\'s': string");
  });
});

describe('texts of typed clients', () => {
  const type = (schema: JsonObject): string => writeType(schema, { input: false, indent: '' });

  it('have a name for each path, whatever it contains', () => {
    const names = nameOperations(['/', '/1/a', '/a-b', '/a/b', '/a/{b}', '/ä']);
    expect([...names.values()]).to.deep.equal(['Resource', 'Resource1A', 'AB', 'AB2', 'AByB', 'Resource2']);
  });

  it('have types for each schema', () => {
    expect(type({})).to.equal('unknown');
    expect(type({ type: ['string', 'null'] })).to.equal('string | null');
    expect(type({ type: 'array', items: { type: ['string', 'null'] } })).to.equal('readonly (string | null)[]');
    expect(type({ enum: ["it's", 'a\\b', 1, null] })).to.equal("'it\\'s' | 'a\\\\b' | 1 | null");
    expect(type({ const: 'a\nb' })).to.equal("'a\\nb'");
    expect(type({ allOf: [{ type: 'number' }, { minimum: 1 }] })).to.equal('number');
    expect(type({ anyOf: [{ type: 'number' }, {}] })).to.equal('unknown');
    expect(type({ type: 'object' })).to.equal('Readonly<Record<string, unknown>>');
    expect(type({ $ref: '#/components/schemas/Row' })).to.equal('Row');
  });

  it('have comments that a description cannot end', () => {
    expect(writeComment('a */ b', '')).to.equal('/** a *\\/ b */\n');
  });
});
