/**
 * With an invalid guard in a definition the resource is never open: with `on_problem: "skip"` it returns 503, and a
 * reload keeps the previous guard. Also: absent values never widen the scope of a statement.
 */
import { expect } from 'chai';
import { startKernel } from '../support/kernel.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.KEY' };
const defineGuarded = (rest: object): object =>
  defineReturnResource('it', { open: true }, { tokenize: TOKENIZE, ...rest });
const BROKEN: Readonly<Record<string, unknown>> = {
  'no tokenize': defineReturnResource('it', 1, { protected: {} }),
  'tokenize null': defineGuarded({ protected: {}, tokenize: null }),
  'unknown type': defineGuarded({ protected: {}, tokenize: { ...TOKENIZE, type: 'JWE' } }),
  'algorithm none': defineGuarded({ protected: {}, tokenize: { ...TOKENIZE, algorithm: 'none' } }),
  'no key': defineGuarded({ protected: {}, tokenize: { type: 'JWT' } }),
  'variable missing': defineGuarded({ protected: {}, tokenize: { type: 'JWT', encryption_key: '$ENV.NOT_SET' } }),
  'variable blank': defineGuarded({ protected: {}, tokenize: { type: 'JWT', encryption_key: '$ENV.BLANK' } }),
  'a key of invalid length': defineGuarded({
    protected: {},
    tokenize: { type: 'PASETO', encryption_key: '$ENV.SHORT' },
  }),
  'guard null': defineGuarded({ protected: null }),
  'guard false': defineGuarded({ protected: false }),
  'guard true': defineGuarded({ protected: true }),
  'a guard that is a list': defineGuarded({ protected: [] }),
  'a guard that is a text': defineGuarded({ protected: 'Authorization' }),
  'unknown field': defineGuarded({ protected: { required: true } }),
  'no header': defineGuarded({ protected: { provide_as: '' } }),
  misspelt: defineGuarded({ protectd: {} }),
  'in capitals': defineGuarded({ Protected: {} }),
  'a guard on an actionable': {
    ...defineGuarded({}),
    actionables: [{ id: 1, mode: 'RETURN', value: { open: true }, protected: {} }],
  },
  'written twice': `{"id":"it","resource":"it","protected":{},"protected":null,"tokenize":${JSON.stringify(TOKENIZE)},
    "actionables":[{"id":1,"mode":"RETURN","value":{"open":true}}]}`,
};
const ENV = { KEY, BLANK: '  ', SHORT: 'abc' };
const A = 'definitions/a.json';

describe('attacks: invalid guards', () => {
  for (const [what, definition] of Object.entries(BROKEN)) {
    it(`never open the resource: ${what}`, async () => {
      const files = { [A]: definition, 'definitions/ok.json': defineReturnResource('ok', 1) };
      const kernel = await startKernel({ files, env: ENV, config: { on_problem: 'skip' } });
      const { status, text } = await kernel.post('/it');
      expect([status, text.includes('open')]).to.deep.equal([503, false]);
      expect((await kernel.post('/ok')).status).to.equal(200);
      await kernel.close();
    });
  }

  it('keep the previous guard at a reload; a removed guard is reported', async () => {
    const kernel = await startKernel({ files: { [A]: defineGuarded({ protected: {} }) }, env: ENV, onProblem: 'skip' });
    const listWarnings = (): unknown[] =>
      kernel.log.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    for (const definition of Object.values(BROKEN)) {
      await kernel.project.write(A, definition);
      await kernel.kernel.reload();
      expect((await kernel.post('/it')).status, JSON.stringify(definition)).to.equal(401);
    }
    expect(listWarnings()).to.deep.equal([]);
    await kernel.project.write(A, defineGuarded({}));
    await kernel.kernel.reload();
    expect(listWarnings()).to.deep.equal([{ resource: 'it', was: 'JWT in Authorization', is: 'open' }]);
    await kernel.close();
  });
});

describe('attacks: missing values', () => {
  it('change no row, in the profile where they are null', async () => {
    const files = {
      'migrations/1-t.sql': 'CREATE TABLE t AS SELECT n AS id FROM generate_series(1, 3) AS n;',
      [A]: [
        defineQueryResource('plain', 'DELETE FROM t WHERE id = $1', ['$PAYLOAD.id']),
        defineQueryResource('other', 'DELETE FROM t WHERE id <> $1', ['$PAYLOAD.id']),
        defineQueryResource('any', 'DELETE FROM t WHERE id = ANY($1)', ['$PAYLOAD.ids']),
        defineQueryResource('none', 'DELETE FROM t WHERE NOT (id = ANY($1))', ['$PAYLOAD.ids']),
        defineQueryResource('text', 'DELETE FROM t WHERE id::text <> $1', ['x-$PAYLOAD.id']),
        defineQueryResource('header', 'DELETE FROM t WHERE id::text <> $1', ['$HEADER.x-id']),
        {
          ...defineQueryResource('claim', 'DELETE FROM t WHERE id <> $1', ['$PROTECTED.id']),
          tokenize: TOKENIZE,
          protected: { extract_claims: ['id'] },
        },
        defineQueryResource('count', 'SELECT count(*)::int AS n FROM t'),
      ],
    };
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const config = { connections, profile: 'sub0', envelope: 'bare' };
    const kernel = await startKernel({ files, config, env: ENV });
    const statuses: Record<string, number> = {};
    for (const path of ['plain', 'other', 'any', 'none', 'text', 'header', 'claim']) {
      statuses[path] = (await kernel.post(`/${path}`, {}, createBearerInit(await signJwt({})))).status;
      expect((await kernel.post('/count')).body, path).to.deep.equal({ n: 3 });
    }
    expect(statuses).to.deep.equal({ plain: 200, other: 200, any: 200, none: 200, text: 422, header: 422, claim: 403 });
    await kernel.close();
  }).timeout(60_000);
});
