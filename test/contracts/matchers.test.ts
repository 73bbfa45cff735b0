/** The contracts for every matcher and reporter, and what each matcher accepts and rejects. */
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import type { Matcher } from '../../contract/matcher.js';
import { createMatch, matchRows } from '../../cli/test/match.js';
import { describeContract, loadAllPlugins } from './kind-support.js';
import { matcherContract } from './matcher.contract.js';
import { reporterContract } from './reporter.contract.js';

const plugins = await loadAllPlugins();
const names = plugins.names('matcher');

/** Expected, an actual value that matches, and one that does not. */
const PAIRS: readonly (readonly [Json, unknown, unknown])[] = [
  [{ $any: 'uuid' }, '0b6e1c1e-7f0f-4c9a-9a53-0d7c3f3a2d11', '0b6e1c1e'],
  [{ $any: 'ulid' }, '01M8A0ZE9WPV751FZJPZHWMQZA', '01m8a0ze9wpv751fzjpzhwmqza'],
  [{ $any: 'timestamp' }, '2026-01-01T00:00:00.000Z', '2026-01-01'],
  [{ $any: 'integer' }, 5, 5.5],
  [{ $any: 'value' }, false, null],
  [{ $any: 'list' }, [], {}],
  [{ $pattern: '^a+$' }, 'aaa', 'ab'],
  [{ $pattern: '[' }, undefined, 'a'],
  [{ $contains: 'b' }, 'abc', 'ac'],
  [{ $contains: { id: 1 } }, [{ id: 2 }, { id: 1, more: 1 }], [{ id: 2 }]],
  [{ $length: 2 }, ['a', 'b'], 'abc'],
  [{ $unordered: [1, { $any: 'number' }] }, [5, 1], [5, 6]],
  [{ $between: [1, 2] }, 2, 2.1],
  [{ $between: ['2026-01-01', '2026-02-01'] }, '2026-01-15', 20260115],
  [{ $exactly: { a: { b: 1 } } }, { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  [{ $not: null }, 0, null],
  [{ $snapshot: { a: { $any: 'number' }, b: '$SAVED.x' } }, { a: 1, b: 5 }, { a: 1, b: 5, c: 2 }],
  [{ $snapshot: true }, true, 1],
  [{ $any: 'string', $length: 3 }, 'abc', 'ab'],
  [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }],
  [
    [1, 2],
    [1, 2],
    [1, 2, 3],
  ],
  ['a $SAVED.x', 'a 5', 'a'],
  ['$SAVED.x', 5, '5'],
];

/** The written and the received value, and the update: undefined where there is none. */
const SNAPSHOTS: readonly (readonly [Json, unknown, Json | undefined])[] = [
  [true, { a: 1 }, { a: 1 }],
  [true, undefined, undefined],
  [
    { a: 1, b: 1 },
    { b: 2, c: [3] },
    { b: 2, c: [3] },
  ],
  [
    { a: { $any: 'number' }, b: 1 },
    { a: 5, b: 2 },
    { a: { $any: 'number' }, b: 2 },
  ],
  [[{ a: '$SAVED.x', b: 1 }], [{ a: 5, b: 2 }, { a: 6 }], [{ a: '$SAVED.x', b: 2 }, { a: 6 }]],
  // A rejected value is a failure, and is not overwritten.
  [{ a: { $any: 'number' } }, { a: 'text' }, undefined],
  // Texts that a test file would interpret.
  [true, { a: 'of $SAVED.x' }, undefined],
  [true, [{ $any: 'number' }], undefined],
  [{ $a: 1, b: 1 }, { $a: 1 }, undefined],
];

describeContract(plugins, 'matcher', matcherContract);
describeContract(plugins, 'reporter', reporterContract);

describe('matchers', () => {
  it('accept what they describe, and nothing else', async () => {
    const all = new Map<string, Matcher>();
    for (const name of names) all.set(name, await plugins.handle<Matcher>('matcher', name));
    const match = createMatch(all, new Map([['x', 5]]));
    for (const [expected, right, wrong] of PAIRS) {
      if (right !== undefined) expect(match(expected, right), JSON.stringify(expected)).to.deep.equal([]);
      expect(match(expected, wrong), JSON.stringify(expected)).not.to.deep.equal([]);
    }
    expect(match({ a: [{ b: { $any: 'uuid' } }] }, { a: [{ b: 1 }] })).to.deep.equal([
      { pointer: '/a/0/b/$any', message: 'expected any uuid, received 1' },
    ]);
    const update = createMatch(all, new Map([['x', 5]]), true);
    for (const [written, received, value] of SNAPSHOTS) {
      const [found] = update({ $snapshot: written }, received);
      expect(found?.update, JSON.stringify(written)).to.deep.equal(value);
      expect(found?.pointer).to.match(/^\/[$]snapshot/);
    }
    // A row that matches both is left to the one that matches only it.
    expect(matchRows([{}, { a: 1 }], [{ a: 1 }, { a: 2 }], match)).to.deep.equal([]);
    expect(matchRows([{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }], match)).to.have.length(1);
  });
});
