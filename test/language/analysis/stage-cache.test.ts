/** The memory of an analysis: work is done again only for a thing that is new, or when something that it read is another. */
import { expect } from 'chai';
import { createStageCache, type Lookups } from '../../../language/analysis/stage-cache.js';
import { runSteps } from '../../../language/analysis/steps.js';
import { memoize } from '../../../language/analysis/memoize.js';
import { createReport, type Report } from '../../../language/analysis/report.js';
import { CATALOGUE } from '../../../language/problems/catalogue.js';
import { createDocument } from '../../../language/source/document.js';

interface Thing {
  readonly name: string;
}

const doc = createDocument('a.json', '{}');

describe('stage cache', () => {
  it('runs equal work once, and reports its problems every time', () => {
    const memory = createStageCache(CATALOGUE);
    const done: string[] = [];
    const work = ({ name }: Thing, report: Report): string => {
      done.push(name);
      report.add('LNK_DUPLICATE_MODEL', { doc, start: 0, end: 2 }, { name });
      return name.toUpperCase();
    };
    const run = (things: readonly Thing[], reads: readonly unknown[]): [string[], number] => {
      const report = createReport(CATALOGUE);
      const outcomes = runSteps(
        memory.getOrComputeAll(things, report, {
          name: 'stage',
          reads: reads as string[],
          compute: work,
        }),
      );
      return [outcomes, report.rows.length];
    };
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name })) as [Thing, Thing, Thing];
    expect(run([a, b], [new Map([['x', ['y']]])])).to.deep.equal([['A', 'B'], 2]);
    expect(run([c, b, a], [new Map([['x', ['y']]])])).to.deep.equal([['C', 'B', 'A'], 3]);
    expect(done).to.deep.equal(['a', 'b', 'c']);
    expect(run([a], [new Map([['x', ['z']]])])).to.deep.equal([['A'], 1]);
    expect(run([a], [new Set(['x'])])).to.deep.equal([['A'], 1]);
    expect(done).to.deep.equal(['a', 'b', 'c', 'a', 'a']);
  });

  it('keeps a result until its inputs or the facts that it read change', () => {
    const memory = createStageCache(CATALOGUE);
    let count = 0;
    const run = (
      thing: Thing,
      reads: readonly string[],
      source: ReadonlyMap<string, string>,
    ): [string, number, number] => {
      const report = createReport(CATALOGUE);
      const outcome = memory.getOrLookUp(thing, report, {
        name: 'stage',
        reads,
        source,
        compute: ({ readAnswer }: Lookups<ReadonlyMap<string, string>>, own) => {
          count++;
          own.add('LNK_DUPLICATE_MODEL', { doc, start: 0, end: 2 }, { name: thing.name });
          return thing.name + (readAnswer('size', (from) => from.get('size')) ?? '');
        },
      });
      return [outcome, count, report.rows.length];
    };
    const thing = { name: 'a' };
    const large = new Map([['size', 'L']]);
    expect([run(thing, ['x'], large), run(thing, ['x'], large)]).to.deep.equal([
      ['aL', 1, 1],
      ['aL', 1, 1],
    ]);
    expect(run(thing, ['y'], large)).to.deep.equal(['aL', 2, 1]);
    expect(run({ name: 'b' }, ['y'], large)).to.deep.equal(['bL', 3, 1]);
    expect(run(thing, ['y'], new Map([...large, ['colour', 'red']]))).to.deep.equal(['aL', 3, 1]);
    expect(run(thing, ['y'], new Map([['size', 'S']]))).to.deep.equal(['aS', 4, 1]);
  });

  it('counts the stages that have read an answer before any of them runs again', () => {
    const memory = createStageCache(CATALOGUE);
    const things = Array.from({ length: 200 }, (_, n) => ({ name: `${n}` }));
    const lookUp = (thing: Thing, source: ReadonlyMap<string, string>): number => {
      memory.changes.most = 0;
      memory.getOrLookUp(thing, createReport(CATALOGUE), {
        name: 'stage',
        reads: [],
        source,
        compute: ({ readAnswer }: Lookups<typeof source>) => readAnswer('size', (from) => from.get('size')),
      });
      return memory.changes.most;
    };
    const create = (size: string): ReadonlyMap<string, string> => new Map([['size', size]]);
    const [small, large, again] = [create('S'), create('L'), create('L')];
    expect(things.map((thing) => lookUp(thing, small))).to.deep.equal(things.map(() => 0));
    const [first, ...others] = things.map((thing) => lookUp(thing, large));
    expect([first, ...new Set(others)]).to.deep.equal([200, 0]);
    expect(lookUp(things[0] as Thing, again)).to.equal(0);
    // A stage that has run again counts once.
    expect(lookUp(things[0] as Thing, small)).to.equal(200);
  });

  it('compares a block of things together: a new or moved one does not recompute others', () => {
    const memory = createStageCache(CATALOGUE);
    const done: string[] = [];
    const source = { of: new Map([['a9', 1]]) };
    const run = (things: readonly Thing[], from: typeof source, shared = 'x'): [readonly string[], number] => {
      const report = createReport(CATALOGUE);
      const steps = memory.getOrLookUpAll(memory.splitIntoBlocks('things', things), report, {
        name: 'stage',
        reads: [shared],
        readsOf: ({ name }) => name.length,
        source: from,
        compute: ({ name }, { readAnswer }: Lookups<typeof source>, own) => {
          done.push(name);
          own.add('LNK_DUPLICATE_MODEL', { doc, start: 0, end: 2 }, { name });
          return `${name}=${readAnswer(name, ({ of }) => of.get(name)) ?? 0}`;
        },
      });
      const found = runSteps(steps);
      const again = done.splice(0);
      expect(found.flat()).to.deep.equal(things.map(({ name }) => `${name}=${from.of.get(name) ?? 0}`));
      return [again, report.rows.length];
    };
    const things = Array.from({ length: 100 }, (_, n) => ({ name: `a${n}` }));
    expect(run(things, source)).to.deep.equal([things.map(({ name }) => name), 100]);
    expect(run(things, source)).to.deep.equal([[], 100]);
    const moved = [{ name: 'new' }, ...things.slice(0, 40), { name: 'other' }, ...things.slice(41)];
    expect(run(moved, source)).to.deep.equal([['new', 'other'], 101]);
    expect(run(moved.slice(1), source)).to.deep.equal([[], 100]);
    expect(run(things, source)).to.deep.equal([[], 100]);
    const other = { of: new Map([['a9', 2]]) };
    expect(run(things, other)).to.deep.equal([['a9'], 100]);
    expect(run(things, other, 'y')[0]).to.have.length(100);
    const blocks = memory.splitIntoBlocks('things', moved).map((block) => block.length);
    expect(Math.max(...blocks), 'things of a block').to.be.lessThan(20);
  });

  it('holds the reads of a block as they are now, where its things read the same', () => {
    const memory = createStageCache(CATALOGUE);
    let compared = 0;
    const blocks = [[{ name: 'a' }, { name: 'b' }]];
    const run = (whole: object): number => {
      compared = 0;
      const steps = memory.getOrLookUpAll(blocks, createReport(CATALOGUE), {
        name: 'stage',
        reads: [],
        readsOf: ({ name }) => [name, compared++].slice(0, 1),
        readsOfBlock: () => whole,
        source: blocks,
        compute: ({ name }) => name,
      });
      expect(runSteps(steps)).to.deep.equal([['a', 'b']]);
      return compared;
    };
    const [before, now] = [{}, {}];
    expect(run(before)).to.be.above(0);
    expect([run(before), run(now), run(now)]).to.deep.equal([0, 2, 0]);
  });

  it('finds the outcome of the last inputs for a thing of a block that was not finished with others', () => {
    const memory = createStageCache(CATALOGUE);
    const block = [{ name: 'a' }, { name: 'b' }];
    const begin = (source: ReadonlyMap<string, string>) =>
      memory.getOrLookUpAll([block], createReport(CATALOGUE), {
        name: 'stage',
        reads: [],
        source,
        compute: ({ name }: Thing, { readAnswer }: Lookups<ReadonlyMap<string, string>>) =>
          readAnswer(name, (from) => from.get(name) ?? ''),
      });
    const first = new Map([['a', 'one']]);
    runSteps(begin(first));
    begin(new Map([['a', 'other']])).next();
    expect(runSteps(begin(first))).to.deep.equal([['one', '']]);
    expect(memory.findOutcome('stage', block[0] as Thing)).to.equal('one');
  });

  it('computes the name of a thing once', () => {
    let count = 0;
    const nameOf = memoize(({ name }: Thing) => {
      count++;
      return name;
    });
    const thing = { name: '' };
    expect([nameOf(thing), nameOf(thing), nameOf({ name: 'b' })]).to.deep.equal(['', '', 'b']);
    expect(count).to.equal(2);
  });
});
