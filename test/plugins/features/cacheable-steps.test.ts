/** Removal of cache entries, step by step without a request; and checks of cache settings. */
import { expect } from 'chai';
import { asText, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools } from '../../../contract/plan.js';
import type { CheckPlace } from '../../../contract/plugin.js';
import { checkCache } from '../../../plugins/features/cacheable/check.light.js';
import { planInvalidation } from '../../../plugins/features/cacheable/invalidation.js';
import type { CacheEntryStore } from '../../../plugins/features/cacheable/store.js';
import { createFrameTools } from '../../support/frame-tools.js';

/** The steps for names of which `late` is set by a result, with what they removed and when. */
function removals(written: readonly string[], slot: 'resource' | 'actionable') {
  const removed: (readonly string[])[] = [];
  const waiting: (() => unknown)[] = [];
  const releases: (() => unknown)[] = [];
  const tools: PlanTools = {
    ...createFrameTools(),
    allocateSlot: () => 0,
    slot: (name: string) => (name === 'late' ? 1 : null),
    value: (json: Json) => (frame: Frame) => {
      const value = frame.payload[asText(json).split('.')[1] ?? ''];
      if (value === undefined) throw new Error('absent');
      return value;
    },
  };
  const store = { remove: (names: readonly string[]) => void removed.push(names) } as unknown as CacheEntryStore;
  const [order, remove] = planInvalidation(written, slot, tools, store);
  const frame = {
    payload: {},
    slots: [],
    invocation: { onFinish: (work: () => unknown) => void releases.push(work) },
    afterCommit: (work: () => unknown) => void waiting.push(work),
  } as unknown as Frame;
  const state = { result: null };
  return {
    frame,
    removed,
    order: () => void order?.run(frame, state),
    settle: () => void remove?.run(frame, state),
    commit: () => waiting.splice(0).forEach((work) => work()),
    end: () => releases.splice(0).forEach((work) => work()),
  };
}

describe('cache entries that a request removes', () => {
  for (const slot of ['resource', 'actionable'] as const)
    it(`are removed once, after the commit (${slot})`, () => {
      const { frame, removed, order, settle, commit, end } = removals(['a', 'b $PAYLOAD.id'], slot);
      frame.payload = { id: 5 };
      order();
      settle();
      expect(removed).to.deep.equal([]);
      commit();
      const names = [['["a"]', '["b ","5"]']];
      expect(removed).to.deep.equal(names);
      end();
      expect(removed).to.deep.equal(names);
    });

  it('are removed at the end of a failed request, if they are those of a resource', () => {
    const resource = removals(['a $PAYLOAD.id'], 'resource');
    resource.frame.payload = { id: 5 };
    resource.order();
    resource.frame.payload = {};
    resource.end();
    expect(resource.removed).to.deep.equal([['["a ","5"]']]);
    const actionable = removals(['a'], 'actionable');
    actionable.order();
    actionable.end();
    expect(actionable.removed).to.deep.equal([]);
  });

  it('reject the request before its work if a name cannot be built', () => {
    expect(removals(['$PAYLOAD.id'], 'resource').order).to.throw('absent');
    expect(removals(['$PAYLOAD.late'], 'resource').order).not.to.throw();
    expect(removals(['$PAYLOAD.late'], 'resource').settle).not.to.throw();
  });

  it('are named by results after the work, and known ones are removed if it fails', () => {
    const { frame, removed, order, settle, commit } = removals(['$PAYLOAD.late'], 'resource');
    order();
    frame.payload = { late: 'x' };
    settle();
    commit();
    expect(removed).to.deep.equal([['["x"]']]);
    const failed = removals(['$PAYLOAD.late', '$PAYLOAD.id'], 'resource');
    failed.frame.payload = { id: 1 };
    failed.order();
    failed.end();
    expect(failed.removed).to.deep.equal([['["1"]']]);
  });
});

describe('cacheable checks', () => {
  type DefinitionJson = Readonly<Record<string, Json>>;
  const SELECT = { id: 1, mode: 'QUERY', sql: { query: 'SELECT 1' } };
  const INSERT = { id: 2, mode: 'QUERY', sql: { query: 'INSERT INTO t VALUES (1)' } };
  const codes = (
    cacheable: Json,
    holder: DefinitionJson,
    root: DefinitionJson = holder,
    slot = 'resource',
  ): readonly unknown[] =>
    checkCache({ value: { cacheable }, holder, root, slot } as unknown as CheckPlace).map(
      ({ code, params }) => `${code}${params?.['id'] === undefined ? '' : ` ${String(params['id'])}`}`,
    );
  const read = { read_from_cache: true, duration: 60 };
  const ofActions = (...actionables: Json[]): DefinitionJson => ({ actionables });

  it('require reading with a duration, or removing', () => {
    expect(codes(read, ofActions(SELECT))).to.deep.equal([]);
    expect(codes({ read_from_cache: true }, ofActions(SELECT))).to.deep.equal(['CCH_NO_DURATION']);
    expect(codes({}, ofActions(SELECT))).to.deep.equal(['CCH_NOTHING']);
    expect(codes({ read_from_cache: false }, ofActions(SELECT))).to.deep.equal(['CCH_NOTHING']);
    expect(codes({ invalidate_cache_keys: ['a'] }, ofActions(INSERT))).to.deep.equal([]);
    expect(codes({ duration: 1, cache_key: 'a' }, ofActions(SELECT))).to.deep.equal(['CCH_NOT_READ', 'CCH_NOT_READ']);
    expect(codes({ duration: 1, invalidate_cache_keys: ['a'] }, ofActions(SELECT))).to.deep.equal(['CCH_NOT_READ']);
  });

  it('reject caching of work with effects', () => {
    for (const action of [
      INSERT,
      { id: 2, mode: 'UPLOAD' },
      { id: 2, mode: 'QUERY', sql: { query: 'WITH a AS (SELECT 1) DELETE FROM t' } },
      { id: 2, queue: {} },
      { id: 2, run_in_background: true },
      { id: 2, broadcast_websocket_message: [] },
    ]) {
      expect(codes(read, ofActions(SELECT, action)), JSON.stringify(action)).to.deep.equal(['CCH_WRITES 2']);
      expect(codes(read, action, ofActions(action), 'actionable')).to.deep.equal(['CCH_WRITES 2']);
      expect(codes(read, SELECT, ofActions(SELECT, action), 'actionable')).to.deep.equal([]);
    }
    for (const query of ['VALUES (1)', 'select 1', ''])
      expect(codes(read, ofActions({ id: 1, sql: { query } })), query).to.deep.equal([]);
  });

  it('reject caching of decrypted values and of tokens', () => {
    const opener = (operation: string): Json => ({ id: 3, ciphers: [1, { operation }] });
    expect(codes(read, ofActions(SELECT, opener('Decrypt')))).to.deep.equal(['CCH_CLEAR 3']);
    expect(codes(read, ofActions(opener('Encrypt')))).to.deep.equal([]);
    expect(codes(read, { ...ofActions(SELECT), tokenize: {} })).to.deep.equal(['CCH_TOKEN']);
    expect(codes(read, { ...ofActions(SELECT), tokenize: {}, protected: {} })).to.deep.equal([]);
    expect(codes(read, SELECT, { ...ofActions(SELECT), tokenize: {} }, 'actionable')).to.deep.equal([]);
    expect(codes(read, { ...ofActions(SELECT), invalidate_tokenize: {} })).to.deep.equal(['CCH_REVOKES']);
    expect(codes(read, SELECT, { ...ofActions(SELECT), invalidate_tokenize: {} }, 'actionable')).to.deep.equal([]);
  });

  it('reject caching between two writes of one transaction', () => {
    const cached = { id: 5, sql: { query: 'SELECT 1' } };
    const between = (rest: DefinitionJson, ...actions: Json[]): readonly unknown[] =>
      codes(read, cached, { ...rest, actionables: actions }, 'actionable');
    expect(between({}, INSERT, cached, INSERT)).to.deep.equal(['CCH_SPLITS']);
    expect(between({}, INSERT, SELECT, { ...cached }, SELECT, INSERT)).to.deep.equal(['CCH_SPLITS']);
    expect(between({ transaction: true }, INSERT, cached, INSERT)).to.deep.equal(['CCH_SPLITS']);
    for (const actions of [
      [cached, INSERT],
      [INSERT, cached],
      [SELECT, cached, INSERT],
      [INSERT, cached, SELECT],
      [INSERT, INSERT],
    ])
      expect(between({}, ...actions)).to.deep.equal([]);
    const writing = { ...INSERT, id: 5 };
    expect(codes(read, writing, ofActions(INSERT, writing), 'actionable')).to.deep.equal(['CCH_WRITES 5']);
    expect(between({ transaction: false }, INSERT, cached, INSERT)).to.deep.equal([]);
  });
});
