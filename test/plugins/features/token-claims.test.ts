/** Claims of an issued token, without a request: where their values are looked up, and what is never a claim. */
import { expect } from 'chai';
import type { Frame } from '../../../contract/plan.js';
import combine from '../../../plugins/features/combine-returned-results/runtime.js';
import returnables from '../../../plugins/features/returnables/runtime.js';
import tokenize from '../../../plugins/features/tokenize/runtime.js';
import {
  catchFaultCode,
  HASH,
  HASHES as conceals,
  runFeature as ran,
  type StepSetup,
  type DefinitionJson,
} from '../../support/feature-steps.js';

describe('claims of an issued token', () => {
  /** Its issuer and audience. */
  const marks = { iss: 'place', aud: 'here' };
  const tool = (claims: unknown[]) => ({
    create: () => ({
      realm: 'here',
      issueToken: (given: unknown, life: unknown) => Promise.resolve(claims.push([given, life]) && 'token'),
    }),
  });
  async function issued(
    settings: DefinitionJson,
    result: unknown,
    rest: StepSetup = {},
  ): Promise<readonly [unknown, unknown, unknown]> {
    const given: [unknown, { seconds: number }][] = [];
    const value = { tokenize: { type: 'JWT', encryption_key: 'k', ...settings } };
    const { result: answered } = await ran(tokenize, value, result, { slot: 'resource', ...rest }, () => tool(given));
    return [given[0]?.[0], given[0]?.[1].seconds, answered];
  }

  it('are looked up in the main result, the others, latest first, then among names', async () => {
    const around: StepSetup = { results: [null, { b: 1, c: 1 }, { b: 2 }], lookup: [0, 2, 1], names: { d: 4, b: 9 } };
    const fields = { custom_claim_fields: ['a', 'b', 'c', 'd', 'e.f'] };
    const [claims] = await issued(fields, { a: null, e: { f: 5, g: 6 } }, around);
    expect(claims).to.deep.equal({ a: null, b: 2, c: 1, d: 4, e: { f: 5 }, ...marks });
    expect(await catchFaultCode(issued({ custom_claim_fields: ['x'] }, {}, around))).to.equal('TOK_CLAIM_MISSING');
  });

  it('are read after results are combined and before names are picked, the token is added after that', async () => {
    const given: unknown[] = [];
    const value = {
      tokenize: { type: 'JWT', encryption_key: 'k' },
      returnables: ['a'],
      combine_returned_results_from: [0],
    };
    const rest: StepSetup = { slot: 'resource', results: [{}] };
    const [tokens, names, combined] = [
      await ran(tokenize, value, {}, rest, () => tool(given)),
      await ran(returnables, value, {}, rest),
      await ran(combine, value, {}, rest),
    ].map(({ steps }) => steps.map(({ phase, order = 0 }) => phase * 10_000 + order));
    const [claims = 0, token = 0] = tokens ?? [];
    const [pick = 0] = names ?? [];
    const [together = 0] = combined ?? [];
    expect([together, claims, pick, token]).to.deep.equal([together, claims, pick, token].toSorted((a, b) => a - b));
    expect(new Set([together, claims, pick, token]).size).to.equal(4);
  });

  it('prevent caching of the response', async () => {
    const step = (
      await ran(tokenize, { tokenize: { type: 'JWT', encryption_key: 'k' } }, {}, { slot: 'resource' }, () => tool([]))
    ).steps[1];
    const frame = { headers: {}, slots: [], invocation: { startedAt: 7 } } as unknown as Frame;
    const state: { result: unknown } = { result: ['no object'] };
    await step?.run(frame, state);
    expect([frame.headers, state.result]).to.deep.equal([{ 'cache-control': 'no-store' }, { token: 'token' }]);
  });

  it('have issuer, audience and purpose, as written', async () => {
    const [written] = await issued({ issuer: 'i', audience: 'a', purpose: 'reset' }, {});
    expect(written).to.deep.include({ iss: 'i', aud: 'a' });
    expect(Object.values(written as object)).to.have.members(['i', 'a', 'reset']);
    const [access] = await issued({ purpose: 'access' }, {});
    expect(access).to.deep.equal(marks);
  });

  it('roll back the work if one may be missing, unless it is a column of the one result', async () => {
    const undoes = async (rest: StepSetup): Promise<unknown> => {
      const value = { tokenize: { type: 'JWT', encryption_key: 'k', custom_claim_fields: ['a'] } };
      return (await ran(tokenize, value, { a: 1 }, { slot: 'resource', ...rest }, () => tool([]))).steps[0]?.undoes;
    };
    expect(await undoes({ columns: ['a'] })).to.equal(undefined);
    for (const rest of [{ columns: ['b'] }, { columns: ['a'], lookup: [0, 1] }])
      expect(await undoes(rest)).to.equal(true);
  });

  it('contain no secrets and no hashes of a row', async () => {
    const row = { u: { id: 1, p: 2, other: HASH } };
    const [claims] = await issued({ custom_claim_fields: ['u'] }, row, { secrets: ['p'], conceals, revealed: ['u.p'] });
    expect(claims).to.deep.equal({ u: { id: 1 }, ...marks });
  });

  it('require one object', async () => {
    for (const result of [null, undefined]) expect(await catchFaultCode(issued({}, result))).to.equal('TOK_NO_SUBJECT');
    for (const result of [[], 'text', 7]) expect(await catchFaultCode(issued({}, result))).to.equal('TOK_NOT_OBJECT');
  });

  it('expire after an hour, and the token is set under its name, where nothing else is written', async () => {
    expect(await issued({}, { a: 1 })).to.deep.equal([marks, 3600, { a: 1, token: 'token' }]);
    expect(await issued({ expiration: 60, property_name: 'jwt' }, { a: 1, jwt: 0 })).to.deep.equal([
      marks,
      60,
      { a: 1, jwt: 'token' },
    ]);
  });
});
