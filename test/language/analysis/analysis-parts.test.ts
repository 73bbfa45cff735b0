/**
 * Parts of the front end, with values on both sides of each decision: literals for columns, kinds of files, unknown
 * accessors, secrets in URLs, names of headers.
 */
import { expect } from 'chai';
import { canStoreValue } from '../../../contract/column-values.js';
import { suggestAccessor } from '../../../language/analysis/checks/accessor-suggestions.js';
import { classifyDefinitions, listEntries } from '../../../language/analysis/classify.js';
import { createReport } from '../../../language/analysis/report.js';
import type { Json } from '../../../contract/json.js';
import { createDocument } from '../../../language/source/document.js';
import { parseSource } from '../../../language/source/parse.js';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import {
  CONFIG,
  collectProblems,
  createBuiltinRegistry,
  createTrialRegistry,
  FIXTURE_ENV,
} from '../../support/fixtures.js';

const registry = createTrialRegistry();

describe('literals for columns', () => {
  const ANYTHING: readonly Json[] = ['x', 5, true, null, [1], { a: 1 }];
  const CASES: readonly (readonly [column: string, taken: readonly Json[], refused: readonly Json[]])[] = [
    ['text', ['x', 5, true, null], [[1], { a: 1 }]],
    ['json', ANYTHING, []],
    ['uuid', ['x', 5, null], [[1], { a: 1 }]],
    ['integer', [0, -5, 12, '7', ' +7 ', '-0', null], [1.5, '1.5', 'x', '', '1e3', '7 8', true, [], {}]],
    [
      'float',
      [0, 1.5, '1.5', ' -2. ', '+.5', '1e3', '1E-3', '.5e+2', 'NaN', 'Infinity', '-inf', null],
      [true, 'x', '', '.', '1.5.2', '1e', 'infin', '1 2', [], {}],
    ],
    [
      'boolean',
      [
        ...[true, false, 1, 0, '0', ' 1 ', null, 'on', 'of', 'OFF', 'no', 'n', 'y', 'ye', 'yes'],
        ...['t', 'tr', 'tru', 'true', 'f', 'fa', 'fal', 'fals', 'FALSE'],
      ],
      [2, '2', 'x', '', 'o', 'truer', 'yess', 'noo', [], {}],
    ],
    [
      'timestamp',
      [
        '2030-01-31',
        '12:00',
        'now',
        ' Today ',
        'tomorrow',
        'yesterday',
        'EPOCH',
        'infinity',
        '-infinity',
        '+infinity',
        null,
      ],
      [5, true, 'x', '', 'nows', 'soon', 'a now', [], {}],
    ],
  ];
  for (const [column, taken, rejected] of CASES) {
    it(`of ${column} accept ${JSON.stringify(taken)} and reject ${JSON.stringify(rejected)}`, () => {
      expect(taken.filter((json) => !canStoreValue(column, json))).to.deep.equal([]);
      expect(rejected.filter((json) => canStoreValue(column, json))).to.deep.equal([]);
    });
  }
});

describe('kind of a file', () => {
  const field = '{ "type": "String" }';
  const CASES: readonly (readonly [file: string, text: string, found: readonly string[]])[] = [
    ['a.json', '{ "resource": "a" }', ['resource']],
    ['a.json', '{ "actionables": [] }', ['resource']],
    ['a.json', '{ "id": "a" }', ['DEF_NO_KIND']],
    ['a.json', '{}', ['DEF_NO_KIND']],
    ['a.json', '5', ['DEF_TYPE']],
    ['_user.json', `{ "id": ${field} }`, ['model _user']],
    ['_user.jsonc', '{}', ['model _user']],
    ['x/_user.model.json', '{}', ['model _user']],
    ['x\\_user.model.jsonc', '{}', ['model _user']],
    ['_x/user.json', `{ "id": ${field} }`, ['DEF_NO_KIND']],
    ['a.json', `{ "_user": { "id": ${field} }, "_cat": {} }`, ['model _user', 'model _cat']],
    ['a.json', `{ "_user": { "id": ${field} }, "cat": {} }`, ['DEF_NO_KIND']],
    ['a.json', `{ "_user": 5 }`, ['DEF_NO_KIND']],
    ['_cat.json', `{ "_user": { "id": ${field} } }`, ['model _user']],
    ['a.json', '[{ "resource": "a" }, { "actionables": [] }]', ['resource', 'resource']],
    // Names that people invent for those of a resource.
    ['a.json', '{ "name": "a", "path": "b" }', ['resource']],
    ['a.json', '{ "steps": [] }', ['resource']],
    ['a.json', '{ "name": "a" }', ['DEF_NO_KIND']],
    ['a.json', '{ "path": "a", "route": "b" }', ['DEF_NO_KIND']],
    ['a.json', '{ "name": ["a"], "path": "b" }', ['DEF_NO_KIND']],
    ['a.json', '{ "steps": "x" }', ['DEF_NO_KIND']],
    ['_a.json', '{ "steps": [] }', ['model _a']],
    // A field may be called as a resource's names are, or begin with an underscore.
    ['_user.json', `{ "resource": ${field} }`, ['model _user']],
    ['_user.json', `{ "_id": ${field} }`, ['model _user']],
    ['_user.json', `{ "resource": "a", "id": "a", "x": ${field} }`, ['resource']],
    ['_user.json', `{ "resource": "a", "actionables": [], "x": ${field} }`, ['resource']],
    ['_user.json', `{ "resource": "a", "x": ${field} }`, ['model _user']],
    ['user.json', `{ "resource": ${field} }`, ['resource']],
    // Fields one level too deep.
    ['user.json', `{ "name": "user", "fields": {} }`, ['DEF_MODEL_FORM']],
    ['user.json', `{ "table": "user", "columns": [] }`, ['DEF_MODEL_FORM']],
    ['user.json', `{ "model": "user", "properties": {} }`, ['DEF_MODEL_FORM']],
    ['user.json', `{ "collection": "user", "schema": {} }`, ['DEF_MODEL_FORM']],
    ['user.json', `{ "fields": { "id": ${field} } }`, ['DEF_MODEL_FORM']],
    ['user.json', `{ "fields": { "id": 1 } }`, ['DEF_NO_KIND']],
    ['user.json', `{ "name": "user", "fields": "x" }`, ['DEF_NO_KIND']],
    ['_user.json', `{ "name": ${field}, "fields": { "type": "JSONObject" } }`, ['model _user']],
  ];
  for (const [file, text, found] of CASES) {
    it(`${file}: ${text}`, () => {
      const doc = createDocument(file, text);
      const report = createReport(registry.codes);
      const entries = listEntries(parseSource(doc).root ?? expect.fail());
      const sorts = entries
        .flatMap((node) => classifyDefinitions(doc, node, report))
        .map(({ sort, name }) => `${sort} ${name}`.trim());
      expect([...sorts, ...report.rows.map(({ code }) => code)]).to.deep.equal(found);
    });
  }

  it('names the model whose fields are one level too deep', () => {
    const right = (file: string, text: string): string => collectProblems([{ file, text }], registry)[0]?.message ?? '';
    expect(right('user.json', '{ "table": "cats", "columns": {} }')).to.include('{"_cats": {"id"');
    expect(right('user.json', '{ "table": "_cats", "columns": {} }')).to.include('{"_cats": {"id"');
    expect(right('user.json', `{ "fields": { "id": ${field} } }`)).to.include('{"_user": {"id"');
    expect(right('_user.json', `{ "fields": { "id": ${field} } }`)).to.include('{"_user": {"id"');
  });

  it('separates properties of a model from its fields', () => {
    const text = `{ "id": ${field}, "unique": [["id"]], "connection": "main" }`;
    const doc = createDocument('_a.json', text);
    const [plain] = listEntries(parseSource(doc).root ?? expect.fail()).flatMap((node) =>
      classifyDefinitions(doc, node, createReport({})),
    );
    expect(plain?.node.members.map(({ key }) => key)).to.deep.equal(['id']);
    expect([plain?.unique?.type, plain?.connection?.scalar]).to.deep.equal(['array', 'main']);
    const located = createDocument('_a.json', `{ "id": ${field}, "connection": "main" }`);
    const root = parseSource(located).root ?? expect.fail();
    expect(classifyDefinitions(located, root, createReport({}))[0]?.node.members.map(({ key }) => key)).to.deep.equal([
      'id',
    ]);
    const named = `{ "id": ${field}, "unique": ${field}, "connection": ${field} }`;
    const other = createDocument('_a.json', named);
    const [fields] = listEntries(parseSource(other).root ?? expect.fail()).flatMap((node) =>
      classifyDefinitions(other, node, createReport({})),
    );
    expect(fields?.node.members.map(({ key }) => key)).to.deep.equal(['id', 'unique', 'connection']);
    expect([fields?.unique, fields?.connection]).to.deep.equal([null, null]);
  });
});

describe('suggestions for unknown accessors', () => {
  const CASES: readonly (readonly [written: string, right: string | undefined, whole?: boolean])[] = [
    ...['NOW', 'DATE', 'TIMESTAMP', 'TIME', 'TODAY', 'CURRENT_TIMESTAMP'].map(
      (root) => [root, '$DATETIME', true] as const,
    ),
    ...['ENVIRONMENT', 'PROCESS', 'ENVS', 'SECRET', 'SECRETS', 'CONFIG'].map(
      (root) => [`${root}.KEY`, '$ENV.KEY', true] as const,
    ),
    ...['HEADERS', 'REQUEST_HEADER', 'REQUEST_HEADERS'].map((root) => [`${root}.a`, '$HEADER.a', true] as const),
    ...['PARAM', 'PARAMS', 'BODY', 'QUERY', 'REQUEST', 'REQ', 'INPUT', 'DATA', 'ARGS', 'FORM'].map(
      (root) => [`${root}.a.b`, '$PAYLOAD.a.b', true] as const,
    ),
    ...['USER', 'AUTH', 'TOKEN', 'CLAIM', 'CLAIMS', 'JWT', 'SESSION', 'CURRENT_USER'].map(
      (root) => [`${root}.id`, '$PROTECTED.id', true] as const,
    ),
    ...['GENERATE', 'GEN', 'RANDOM', 'ID'].map((root) => [`${root}.uuid`, '$GENERATOR.UUID', true] as const),
    ['NOW.iso', '$DATETIME', true],
    ['BODY', '$PAYLOAD', true],
    ['HEADERS', '$HEADER.name', false],
    ['PROCESS.env.KEY', '$ENV.KEY', true],
    ['PROCESS.env', '$ENV.env', true],
    ['UUID', '$GENERATOR.UUID', true],
    ['UUID.x', undefined],
    ['GENERATE_ULID', '$GENERATOR.ULID', true],
    ['ENV_KEY', '$ENV.KEY', true],
    ['SECRETS_KEY', '$ENV.KEY', true],
    ['HEADER_a', '$HEADER.a', true],
    ['ENV_', undefined],
    ['DATETIME_ISO', undefined],
    ['HEADER_a.b', '$HEADER.a.b', true],
    ['NOBODY', undefined],
    ['NOBODY.x', undefined],
  ];
  for (const [written, right, whole] of CASES) {
    it(`$${written}: ${right ?? 'none'}`, () => {
      const [root = '', ...tail] = written.split('.');
      expect(suggestAccessor(registry, { root, tail })).to.deep.equal(
        right === undefined ? undefined : { text: right, whole },
      );
    });
  }

  it('contain a placeholder for a generator that does not exist', () => {
    expect(suggestAccessor(registry, { root: 'GENERATE', tail: ['nothing'] })?.whole).to.equal(false);
    expect(suggestAccessor(registry, { root: 'GENERATE', tail: [] })?.text).to.match(/^\$GENERATOR\.[A-Z]+$/);
  });
});

describe('secrets in plain text', () => {
  const CASES: readonly (readonly [key: string, codes: readonly string[]])[] = [
    ['postgres://ada:pass@db/x', ['SEC_CLEAR']],
    ['postgres://ada:secret@db/x', ['SEC_CLEAR']],
    ['postgres://:pass@db', ['SEC_CLEAR']],
    ['redis+tls://a:p@b', ['SEC_CLEAR']],
    ['HTTPS://a:b:c@d', ['SEC_CLEAR']],
    ['postgres://ada@db/x', []],
    ['postgres://ada:@db/x', []],
    ['postgres://db/x:y@z', []],
    ['postgres://db?a:b@c', []],
    ['postgres://db#a:b@c', []],
    ['postgres://ada:$ENV.JWT_SECRET_KEY@db/x', []],
    ['postgres://$ENV.EXAMPLE_KEY:pass@db/x', ['SEC_CLEAR']],
    ['of $ENV.JWT_SECRET_KEY', []],
    ['1postgres://x', ['SEC_CLEAR']],
    ['secret', ['SEC_SAMPLE']],
    [' ', []],
  ];
  for (const [key, codes] of CASES) {
    it(`${JSON.stringify(key)}: ${codes.join() || 'none'}`, () => {
      const text = JSON.stringify({
        id: 'a',
        resource: 'a',
        trial_guard: { key },
        actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
      });
      const found = collectProblems([{ file: 'a.json', text }], registry).map(({ code }) => code);
      expect(found.filter((code) => code.startsWith('SEC_'))).to.deep.equal(codes);
    });
  }
});

describe('names in statements and rules', () => {
  const listCodes = (files: Readonly<Record<string, object>>): string[] =>
    collectProblems(
      Object.entries(files).map(([file, json]) => ({ file, text: JSON.stringify(json) })),
      registry,
    ).map(({ code, message }) => `${code} ${/"(\w+)"/.exec(message)?.[1] ?? ''}`.trim());
  const of = (action: object, rest = {}): object => ({ id: 'a', resource: 'a', actionables: [action], ...rest });

  for (const table of ['_user', '_USER', 'User', 'USERS', '"users"'])
    it(`resolve the model of the table ${table}`, () => {
      const sql_query = { query: `SELECT emial FROM ${table}` };
      const files = { '_user.json': { email: { type: 'String' } }, 'a.json': of({ id: 1, mode: 'QUERY', sql_query }) };
      expect(listCodes(files)).to.include('SQL_COLUMN emial');
    });

  for (const of of ['_user', '_USER', 'USERS', 'Strangers'])
    it(`resolve the table ${of} of a foreign key${of === 'Strangers' ? ' only if there is a model' : ''}`, () => {
      const key = { type: 'String', foreign_key: { of, key: 'id' } };
      const files = {
        '_user.json': { id: { type: 'String', primary_key: true } },
        '_note.json': { id: { type: 'String', primary_key: true }, user_id: key },
      };
      const codes = listCodes(files).filter((code) => code.startsWith('LNK_'));
      expect(codes).to.deep.equal(of === 'Strangers' ? ['LNK_UNKNOWN_MODEL Strangers'] : []);
    });

  it('resolve a field by its rule or, if protected, by a name that the resource sets', () => {
    const first = {
      id: 1,
      mode: 'QUERY',
      no_op: true,
      sql_query: { query: 'SELECT 1 AS one' },
      extract_response_for: [{ extract: 'one', for: 'made' }],
    };
    const withRules = (fields: object): string[] => {
      const second = {
        id: 2,
        mode: 'RETURN',
        value: 1,
        depends_on: [{ resource_id: 'self', action_ids: [1] }],
        payload_validation: [{ field: { known: { type: 'STRING' } } }],
        ...fields,
      };
      const files = { 'a.json': { id: 'a', resource: 'a', actionables: [first, second] } };
      return listCodes(files).filter((code) => /^LNK_NO_(RULE|VALUE)/.test(code));
    };
    const hashed = (property: string): object => ({ hashables: [{ property, algorithm: 'SHA_256' }] });
    const encrypted = (property: string): object => ({
      ciphers: [{ operation: 'Encrypt', properties: [property], algorithm: 'Aes256Gcm', options: { key: '$ENV.K' } }],
    });
    expect(withRules(hashed('known'))).to.deep.equal([]);
    expect(withRules(hashed('made'))).to.deep.equal([]);
    expect(withRules(encrypted('made'))).to.deep.equal([]);
    expect(withRules(encrypted('other'))).to.deep.equal(['LNK_NO_VALUE other']);
  });
});

describe('header names in the config', () => {
  const isRejected = (name: string): boolean =>
    collectProblems([{ file: CONFIG, text: JSON.stringify({ http: { headers: { [name]: 'x' } } }) }], registry).some(
      ({ code }) => code === 'DEF_HEADER',
    );
  for (const name of [
    ...['connection', 'Content-Encoding', 'content-length', 'CONTENT-TYPE', 'date', 'keep-alive', 'transfer-encoding'],
    ...['x-request-id', 'a b', '', 'é'],
  ])
    it(`reject "${name}"`, () => expect(isRejected(name)).to.equal(true));
  for (const name of ['x-frame-options', 'Server', 'dates'])
    it(`accept "${name}"`, () => expect(isRejected(name)).to.equal(false));
});

describe('resources that are not served', () => {
  const resource = (id: string, needs: string | null, rest: object = {}): object => ({
    id,
    resource: id,
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        value: { a: 1 },
        ...(needs !== null && {
          depends_on: [{ resource_id: needs, action_ids: [1], extract_response_for: [{ extract: 'a', for: 'b' }] }],
        }),
      },
    ],
    ...rest,
  });

  it('are those with an error, and those that depend on one, also indirectly', () => {
    // Dependents come first, so that one pass does not find them all.
    const all = [
      resource('third', 'second'),
      resource('second', 'first'),
      resource('first', 'broken'),
      resource('broken', null, { nonsense: 1 }),
      resource('apart', null),
    ];
    const files = [{ file: 'definitions/a.json', text: JSON.stringify(all) }];
    const { resources } = analyseFiles(files, createBuiltinRegistry(), { env: FIXTURE_ENV });
    const served = Object.fromEntries(resources.map(({ id, sound }) => [id, sound]));
    expect(served).to.deep.equal({ third: false, second: false, first: false, broken: false, apart: true });
  });
});
