/** The checker of killed processes finds each fault that it exists for. No process is started. */
import { expect } from 'chai';
import { evaluateKills } from '../support/kill-report.js';
import type { DeadJob, Evidence } from '../support/kills.js';

/** Requests 1 to 8, two of each kind: `order` 3 and 7, `row` 4 and 8, `chain` 1 and 5, `background` 2 and 6. */
const VALID: Evidence = {
  kills: [{ member: 'a', at: 1000, recovered: 700 }],
  load: { sent: 8, acknowledged: [1, 2, 3, 4, 5, 6, 7], failed: [{ id: 8, what: '502 4711: ECONNRESET' }] },
  tables: {
    entries: new Map([[4, 1]]),
    debits: new Map([1, 5].map((id) => [id, 1])),
    credits: new Map([1, 5].map((id) => [id, 1])),
    orders: new Map([3, 7].map((id) => [id, 1])),
    notes: new Map([
      [3, ['b']],
      [7, ['a', 'b']],
    ]),
  },
  effects: [
    { id: 2, by: 'a', key: 'two', at: 990 },
    { id: 6, by: 'a', key: 'six', at: 400 },
    { id: 2, by: 'b', key: 'two', at: 3000 },
  ],
  dead: [],
};
const dead = (given: Partial<DeadJob>): DeadJob => ({
  id: 'work',
  resource: 'order',
  part: 'order/2',
  state: 'dead',
  priority: 0,
  attempts: 5,
  retries: 4,
  acceptedAt: 0,
  dueAt: null,
  failure: { code: 'JOB_LOST', detail: '', at: 0 },
  request: 3,
  ...given,
});

describe('checker of killed processes', () => {
  const listFaults = (evidence: Partial<Evidence>): readonly string[] =>
    evaluateKills({ ...VALID, ...evidence }).faults;
  const withTables = (tables: Partial<Evidence['tables']>): readonly string[] =>
    listFaults({ tables: { ...VALID.tables, ...tables } });

  it('finds no problem in work that was repeated after a kill, and reports its duration', () => {
    const { faults, kinds, again, mostDoubledByOne } = evaluateKills(VALID);
    expect(faults).to.deep.equal([]);
    expect([again, mostDoubledByOne]).to.deep.equal([[2000], 2]);
    expect(kinds.map(({ doubled }) => doubled)).to.deep.equal([0, 0, 1, 1]);
    expect(kinds.map(({ lost }) => lost)).to.deep.equal([0, 0, 0, 0]);
  });

  it('finds acknowledged work that is missing', () => {
    expect(withTables({ entries: new Map() })).to.deep.equal(['row 4 was acknowledged and is not there']);
    expect(listFaults({ effects: [] })).to.have.length(2);
    expect(withTables({ notes: new Map([[7, ['b']]]) })).to.deep.equal([
      'order 3: 1, its work 0 times',
      'order 3 was acknowledged and is not there',
    ]);
  });

  it('finds duplicate rows, an incomplete chain, and work of a missing order', () => {
    expect(withTables({ entries: new Map([[4, 2]]) })).to.deep.equal(['row 4 was done 2 times']);
    expect(withTables({ credits: new Map([[1, 1]]) })).to.deep.equal(['chain 5 is not whole: 1 and 0']);
    expect(withTables({ orders: new Map([[3, 1]]) })).to.deep.equal(['order 7: 0, its work 2 times']);
  });

  it('finds work that was repeated without a kill, or under another key', () => {
    const [two, six] = VALID.effects;
    if (two === undefined || six === undefined) throw new Error('no effects');
    expect(listFaults({ kills: [] })).to.have.length(2);
    expect(listFaults({ effects: [two, six, { ...two, by: 'b', key: 'three' }] })).to.deep.equal([
      'background 2 had more than one key: two,three',
    ]);
    // Ten runs too many by the one that was killed, and one of order 7.
    const many = Array.from({ length: 11 }, () => six);
    expect(listFaults({ effects: [two, ...many] })).to.deep.equal(['11 were done twice because of one kill']);
  });

  it('finds requests that failed for another reason than a kill', () => {
    const failed = [{ id: 8, what: '500 {"code": "INTERNAL"}' }];
    expect(listFaults({ load: { ...VALID.load, failed } })).to.deep.equal([
      'request 8 failed: 500 {"code": "INTERNAL"}',
    ]);
  });

  it('accepts dead work that lost its process as often as allowed, and nothing else', () => {
    const notes = new Map([[7, ['b']]]);
    const tables = { ...VALID.tables, notes };
    expect(listFaults({ tables, dead: [dead({})] })).to.deep.equal([]);
    expect(listFaults({ dead: [dead({ attempts: 2 })] })).to.deep.equal(['work work is dead: JOB_LOST after 2 of 5']);
    const failure = { code: 'QRY_FAILED', detail: '', at: 0 };
    expect(listFaults({ dead: [dead({ failure })] })).to.deep.equal(['work work is dead: QRY_FAILED after 5 of 5']);
  });
});
