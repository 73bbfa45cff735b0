/**
 * Checks of `hashables` and `ciphers` in definitions: duplicates, sizes, columns that cannot store or find encrypted
 * values.
 */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { CheckAction, CheckPlace, EnvFact } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { readEnv } from '../../../language/analysis/checks/accessors.js';
import ciphers from '../../../plugins/features/ciphers/spec.js';
import hashables from '../../../plugins/features/hashables/spec.js';

type DefinitionJson = Readonly<Record<string, Json>>;

const FACTS: Readonly<Record<string, Record<string, number | string>>> = {
  'hasher BCRYPT': { maxBytes: 72 },
  'cipher AES': { keyBytes: 16, nonceBytes: 12 },
  'encoding Base64': { characters: 4 / 3 },
  'encoding Hex': { characters: 2 },
  'field-type STRING': { column: 'text' },
  'field-type JSON': { column: 'json' },
  'field-type NUMBER': { column: 'integer' },
};

/** Code, path and message of each finding. */
function listCodes(spec: PluginSpec, holder: DefinitionJson, rest: Partial<CheckPlace> = {}): readonly string[] {
  const place = {
    ...{ slot: 'actionable', value: holder, holder, root: { actionables: [holder] }, testing: false, actions: [] },
    ...{ env: () => null, facts: (kind: string, name: string) => FACTS[`${kind} ${name}`] },
    ...rest,
  } as unknown as CheckPlace;
  return (spec.check?.(place) ?? []).map(({ code, at, params }) =>
    `${code} ${at} ${String(params?.['what'] ?? params?.['mode'] ?? '')}`.trim(),
  );
}

const writing = (query: string, parameters: Json, rest: DefinitionJson = {}): DefinitionJson => ({
  sql: { query, parameters },
  ...rest,
});
const INSERT = 'INSERT INTO t (a) VALUES ($1)';

/** What an earlier actionable does with the field before it is sealed, and whether that is reported. */
const EARLIER: readonly (readonly [DefinitionJson, boolean])[] = [
  [writing(INSERT, ['p']), true],
  [writing(INSERT, ['$PAYLOAD.p']), true],
  [writing('UPDATE t SET a = $1', ['p']), true],
  [writing('SELECT $1', ['p']), false],
  [writing('DELETE FROM t WHERE a = $1', ['p']), false],
  [writing(INSERT, ['q']), false],
  [writing(INSERT, ['$PAYLOAD.p.q']), false],
  [writing(INSERT, 'p'), false],
  [writing(INSERT, ['p'], { no_op: true }), false],
  [writing(INSERT, ['p'], { depends_on: [] }), false],
];

describe('checks of hashed fields', () => {
  const entry = { property: 'p', algorithm: 'BCRYPT' };

  it('report an entry for a field that has one', () => {
    const of = (...properties: string[]): readonly string[] =>
      listCodes(hashables, { hashables: properties.map((property) => ({ ...entry, property })) });
    expect(of('a', 'b', 'a', 'a')).to.deep.equal([
      'HSH_TWICE /hashables/2/property',
      'HSH_TWICE /hashables/3/property',
    ]);
    expect(of('a', 'a.b')).to.deep.equal([]);
  });

  it('report rules that accept more than the algorithm does', () => {
    const of = (rule: Json, algorithm = 'BCRYPT', property = 'p'): readonly string[] =>
      listCodes(hashables, { hashables: [{ property, algorithm }], payload_validation: [rule] });
    const RULE = '/payload_validation/0';
    expect(of({ field: { p: { max_length: 73 } } })).to.deep.equal([`HSH_LONG ${RULE}/field/p/max_length`]);
    expect(of({ field: { p: {} }, max_length: 73 })).to.deep.equal([`HSH_LONG ${RULE}/max_length`]);
    expect(of({ field: { 'a/b': { max_length: 99 } } }, 'BCRYPT', 'a/b')).to.deep.equal([
      `HSH_LONG ${RULE}/field/a~1b/max_length`,
    ]);
    for (const rule of [
      { field: { p: { max_length: 72 } } },
      { field: { p: { max_length: 9 } }, max_length: 99 },
      { field: { q: { max_length: 99 } } },
      { field: { p: 7 }, max_length: 99 },
      { field: { p: {} } },
      7,
    ])
      expect(of(rule), JSON.stringify(rule)).to.deep.equal([]);
    expect(of({ field: { p: { max_length: 99 } } }, 'ARGON2')).to.deep.equal([]);
  });

  it('report what is certainly written before it is hashed', () => {
    const own = { id: 2, hashables: [entry] };
    const of = (...actionables: Json[]): readonly string[] => listCodes(hashables, own, { root: { actionables } });
    for (const [earlier, isReported] of EARLIER) {
      const one = { id: 1, ...earlier };
      expect(of(one, own), JSON.stringify(earlier)).to.deep.equal(
        isReported ? ['HSH_RAW_BEFORE /hashables/0/property'] : [],
      );
      expect(of(own, one)).to.deep.equal([]);
    }
    expect(of({ id: 1, ...writing(INSERT, ['p']), hashables: [entry] }, own)).to.deep.equal([]);
    expect(of({ id: 1, ...writing(INSERT, ['p']), hashables: [{ property: 'q' }] }, own)).to.have.length(1);
  });
});

describe('checks of encrypted fields', () => {
  const KEY = '8f1c5a7e9b2d4c6f';
  const entry = (rest: DefinitionJson = {}, options: DefinitionJson = {}): DefinitionJson => ({
    ...{ operation: 'Encrypt', algorithm: 'AES', properties: ['p'], options: { key: KEY, ...options } },
    ...rest,
  });
  const of = (one: DefinitionJson, holder: DefinitionJson = {}, rest: Partial<CheckPlace> = {}): readonly string[] =>
    listCodes(ciphers, { id: 2, ciphers: [one], ...holder }, rest);
  const OPTIONS = '/ciphers/0/options';

  it('report keys of another size, if they are known', () => {
    expect(of(entry())).to.deep.equal([]);
    expect(of(entry({}, { key: `${KEY}0` }))).to.deep.equal([
      `CPH_KEY ${OPTIONS}/key it has 17 bytes and needs exactly 16`,
    ]);
    const inEnv = (key: string, fact: EnvFact | null): readonly string[] => {
      const env = readEnv(new Map(fact === null ? [] : [['A', fact]]));
      return of(entry({}, { key }), {}, { env: (name) => env.get(name) });
    };
    const short = { length: 15, bytes: 15, blank: false };
    expect(inEnv('$ENV.A', short)).to.have.length(1);
    for (const fact of [
      null,
      { ...short, blank: true },
      { length: 16, bytes: 16, blank: false },
      { length: 36, bytes: 36, blank: false },
    ])
      expect(inEnv('$ENV.A', fact)).to.deep.equal([]);
    for (const key of ['$ENV.A ', 'x$ENV.A', '$ENV.A$ENV.B']) expect(inEnv(key, short), key).to.deep.equal([]);
    // Samples are reported wherever a secret is in plain text.
    for (const key of ['changeme', 'secret']) expect(of(entry({}, { key })), key).to.deep.equal([]);
    expect(of(entry({ algorithm: 'OTHER' }, { key: 'x' }))).to.deep.equal([]);
  });

  it('allow a nonce in tests only, of the correct size', () => {
    const nonce = '123456789012';
    const SAME = `CPH_NONCE ${OPTIONS}/nonce it is the same for every value`;
    expect(of(entry({}, { nonce }))).to.deep.equal([SAME]);
    expect(of(entry({}, { nonce }), {}, { testing: true })).to.deep.equal([]);
    expect(of(entry({}, { nonce: `${nonce}3` }), {}, { testing: true })).to.have.length(1);
    expect(of(entry({}, { nonce: '$ENV.A' }), {}, { testing: true })).to.deep.equal([]);
  });

  it('report invalid additional data, and a prefix for a value that is not literal', () => {
    for (const aad of ['', 'a', 'hex:00', 'base64:AA==', 'a $PAYLOAD.b', '$ENV.A', 'x hex:$PAYLOAD.b'])
      expect(of(entry({}, { aad })), aad).to.deep.equal([]);
    for (const prefix of ['hex:', 'base64:'])
      expect(of(entry({}, { aad: `${prefix}$PAYLOAD.b` }))).to.deep.equal([
        `CPH_AAD ${OPTIONS}/aad behind \`${prefix}\` it needs bytes that are written out`,
      ]);
    expect(of(entry({}, { aad: 'hex:0' }))).to.have.length(1);
  });

  it('report a field that is encrypted, or decrypted, twice', () => {
    const listCipherFindings = (...list: Json[]): readonly string[] =>
      listCodes(ciphers, { id: 1, mode: 'QUERY', ciphers: list });
    const opening = entry({ operation: 'Decrypt' });
    expect(listCipherFindings(entry(), entry({ properties: ['q', 'p'] }))).to.deep.equal([
      'CPH_TWICE /ciphers/1/properties/1',
    ]);
    expect(listCipherFindings(opening, opening)).to.deep.equal(['CPH_TWICE /ciphers/1/properties/0']);
    expect(listCipherFindings(entry(), opening)).to.deep.equal([]);
  });

  it('report columns that cannot store encrypted values', () => {
    const column = (
      field: DefinitionJson,
      holder: DefinitionJson = {},
      options: DefinitionJson = {},
    ): readonly string[] =>
      of(
        entry({}, options),
        { ...writing(INSERT, ['p']), ...holder },
        {
          actions: [{ index: 0, fields: new Map([['a', field]]) } as unknown as CheckAction],
        },
      ).map((one) => one.replace(' /ciphers/0/properties/0', ''));
    const STRING = { type: 'STRING' };
    for (const type of ['STRING', 'JSON', 'UNKNOWN']) expect(column({ type })).to.deep.equal([]);
    expect(column({ type: 'NUMBER' })).to.deep.equal(['CPH_COLUMN']);
    for (const flag of ['unique', 'primary_key'])
      for (const rest of [{}, { indexable: true, fts: true }])
        expect(column({ ...STRING, ...rest, [flag]: true })).to.deep.equal(['CPH_UNIQUE']);
    for (const flag of ['indexable', 'fts'])
      expect(column({ ...STRING, [flag]: true })).to.deep.equal(['CPH_COMPARED the index on "a" finds nothing']);
    for (const flag of ['unique', 'primary_key', 'indexable', 'fts'])
      expect(column({ ...STRING, [flag]: false })).to.deep.equal([]);
    // Version, nonce, tag and quotes: 31 bytes, in Base64 42 characters with a fraction of one.
    expect(column({ ...STRING, max_length: 42 })).to.deep.equal([]);
    expect(column({ ...STRING, max_length: 41 })).to.deep.equal(['CPH_SHORT the empty text']);
    const rule = (bound: number): DefinitionJson => ({
      payload_validation: [{ field: { p: { max_length: bound } } }, { field: { p: {} }, max_length: 5 }],
    });
    expect(column({ ...STRING, max_length: 82 }, rule(10), { encoding: 'Hex' })).to.deep.equal([]);
    expect(column({ ...STRING, max_length: 81 }, rule(10), { encoding: 'Hex' })).to.deep.equal([
      'CPH_SHORT 10 letters',
    ]);
    expect(column({ ...STRING, max_length: 71 }, rule(1), { encoding: 'Hex' })).to.deep.equal(['CPH_SHORT 5 letters']);
    expect(column({ ...STRING, max_length: 1 }, {}, { encoding: 'Other' })).to.deep.equal([]);
  });

  it('report comparisons that never match', () => {
    const compared = (query: string, parameters: Json = ['p'], one = entry()): readonly string[] =>
      of(one, writing(query, parameters));
    const COMPARED = ['CPH_COMPARED /ciphers/0/properties/0 no row is ever found by it'];
    for (const query of [
      'SELECT b FROM t WHERE a = $1',
      'DELETE FROM t WHERE a = $1',
      'UPDATE t SET b = 1 WHERE a = $1',
    ])
      expect(compared(query), query).to.deep.equal(COMPARED);
    expect(compared('UPDATE t SET a = $1 WHERE a = $1')).to.deep.equal(COMPARED);
    for (const query of [INSERT, 'UPDATE t SET a = $1 WHERE b = 1', 'SELECT $1'])
      expect(compared(query), query).to.deep.equal([]);
    expect(compared('SELECT b FROM t WHERE a = $1', ['q'])).to.deep.equal([]);
    expect(compared('SELECT b FROM t WHERE a = $1', ['p'], entry({ operation: 'Decrypt' }))).to.deep.equal([]);
  });

  it('report what is certainly written, or encrypted, before', () => {
    const checkBefore = (earlier: DefinitionJson, own = entry()): readonly string[] => {
      const holder = { id: 2, ciphers: [own] };
      return listCodes(ciphers, holder, {
        root: { actionables: [{ id: 1, ...earlier }, holder, { id: 3, ...writing(INSERT, ['p']) }] },
      });
    };
    const PLACE = '/ciphers/0/properties/0';
    for (const [earlier, isReported] of EARLIER)
      expect(checkBefore(earlier), JSON.stringify(earlier)).to.deep.equal(
        isReported ? [`CPH_RAW_BEFORE ${PLACE}`] : [],
      );
    expect(checkBefore({ ...writing(INSERT, ['p']), ciphers: [entry()] })).to.deep.equal([`CPH_AGAIN ${PLACE}`]);
    for (const other of [{ operation: 'Decrypt' }, { properties: ['q'] }])
      expect(checkBefore({ ciphers: [entry(other)] })).to.deep.equal([]);
    expect(checkBefore({ ...writing(INSERT, ['p']) }, entry({ operation: 'Decrypt' }))).to.deep.equal([]);
  });

  it('report results in which nothing is encrypted', () => {
    const opening = entry({ operation: 'Decrypt', properties: ['p.x', 'q'] });
    for (const mode of ['RETURN', 'LIST']) {
      expect(of(opening, { mode })).to.deep.equal([`CPH_NOTHING_STORED /ciphers/0/operation ${mode}`]);
      expect(of(entry(), { mode })).to.deep.equal([]);
    }
    const answers = (names: readonly string[] | null, index = 0): readonly string[] =>
      of(
        opening,
        { mode: 'QUERY' },
        { actions: [{ index, answers: names, fields: new Map() } as unknown as CheckAction] },
      );
    expect(answers(['p'])).to.deep.equal(['CPH_NOT_SELECTED /ciphers/0/properties/1']);
    expect(answers(['p', 'q'])).to.deep.equal([]);
    expect(answers(null)).to.deep.equal([]);
    expect(answers([], 1)).to.deep.equal([]);
  });
});
