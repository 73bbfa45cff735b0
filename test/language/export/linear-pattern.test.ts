/**
 * Patterns from files: they match like the engine's own, for every pattern that is accepted, in linear time. Other
 * patterns are rejected.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { createContext, Script } from 'node:vm';
import { compileLinearPattern, type LinearPattern } from '../../../language/strings/linear-pattern.js';
import { readManifest } from '../../../language/export/manifest-read.js';
import { createManifest, formatManifest } from '../../../language/export/manifest.js';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { buildRegistry } from '../../../language/analysis/build-registry.js';
import { toSpecs } from '../../../language/export/manifest-specs.js';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { kinds } from '../../../plugins/index.kinds.js';
import { specs } from '../../../plugins/index.spec.js';
import { startStopwatch } from '../../support/stopwatch.js';

/** Exponential time in the engine on this text. */
const ENDLESS: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+){2,30}b$', 'a'.repeat(5000)],
  ['^(a+)+$', `${'a'.repeat(5000)}!`],
  ['(a*)*b', 'a'.repeat(5000)],
  ['^(a|a)*$', `${'a'.repeat(5000)}!`],
  ['^(a|aa)+$', `${'a'.repeat(5000)}!`],
  ['^(\\w+\\s?)*$', `${'word '.repeat(1000)}!`],
  ['(.*)*x', 'y'.repeat(5000)],
  [`^${'(a?)'.repeat(30)}${'a'.repeat(30)}$`, 'a'.repeat(29)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5000)],
  ['(?:(?=a)a+)+b', 'a'.repeat(5000)],
];
/** Features that require backtracking or state for each position. */
const REJECTED = [
  '(a+)\\1',
  '(?<n>a+)\\k<n>',
  '(?<=a+)b',
  '(?<!a*)b',
  '(?=a+)b',
  '(?!.*x)a*',
  '(a{1,50}){1,50}',
  'a{3000}',
  '(){1,999999999}',
  '(',
  'a**',
];

const place: { given?: { readonly pattern: string; readonly flags: string; readonly on: string } } = createContext({});
const exec = new Script('new RegExp(given.pattern, given.flags).exec(given.on)');
/** What the engine finds, or undefined if it takes longer than `limit` milliseconds. */
function execWithin(limit: number, pattern: string, flags: string, on: string): RegExpExecArray | null | undefined {
  place.given = { pattern, flags, on };
  try {
    return exec.runInContext(place, { timeout: limit }) as RegExpExecArray | null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

const PIECES = ['a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '1', '\\b', '^', '$', '(?!b)', '(?=a)', '-', '\\.', 'é'];
const QUANTIFIERS = ['*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??', '{1,2}?'];
const source: fc.Memo<string> = fc.memo((depth) => {
  const piece = fc.constantFrom(...PIECES);
  const wide = depth > 1 ? fc.oneof(piece, group(depth - 1)) : piece;
  const part = fc.tuple(wide, fc.option(fc.constantFrom(...QUANTIFIERS), { nil: '' }));
  const chain = fc
    .array(part, { minLength: 0, maxLength: 4 })
    .map((all) => all.map(([a, q]) => (/^(\^|\$|\\b|\(\?[=!])/.test(a) ? a : a + q)).join(''));
  return fc.array(chain, { minLength: 1, maxLength: 3 }).map((all) => all.join('|'));
});
const group: fc.Memo<string> = fc.memo((depth) =>
  fc.tuple(fc.constantFrom('(', '(?:'), source(depth)).map(([open, inner]) => `${open}${inner})`),
);
const subject = fc.string({ unit: fc.constantFrom(...'aab1-. é\n'), maxLength: 12 });

/** Null for a pattern that is rejected because it has too many steps, as few of the random ones have. */
function compileSmall(pattern: string, flags: string): LinearPattern | null {
  try {
    return compileLinearPattern(pattern, flags);
  } catch (error) {
    if (/has more than \d+ steps/.test(String(error))) return null;
    throw error;
  }
}

describe('linear patterns', () => {
  it('match like the engine', () => {
    fc.assert(
      fc.property(source(3), subject, fc.constantFrom('', 'i', 's', 'm'), (pattern, on, flags) => {
        const linear = compileSmall(pattern, flags);
        fc.pre(linear !== null);
        const own = linear.exec(on);
        const native = execWithin(30, pattern, flags, on);
        if (native === undefined) return;
        expect(own?.index).to.equal(native?.index);
        expect(linear.test(on)).to.equal(native !== null);
        // The engine does not repeat a group that has read nothing, which changes how much is read and not whether something is.
        if (!/\)[*+?{]/.test(pattern)) expect(own?.groups[0]).to.equal(native?.[0]);
      }),
      { numRuns: 3000 },
    );
  });

  it('read groups and escapes', () => {
    const CASES: readonly (readonly [string, string])[] = [
      ['^(?:step)s?[._-]?([0-9]+)(?:\\.(.+))?$', 'steps_12.a.b'],
      ['^(?:step)s?[._-]?([0-9]+)(?:\\.(.+))?$', 'step7'],
      ['(a+?)(a*)', 'aaa'],
      ['(a)|(b)', 'b'],
      ['(?<year>\\d{4})-(\\d\\d)', 'on 2026-11'],
      ['[\\]\\-a-c]+|\\x41\\u0042', 'AB'],
      ['a{,2}}{', 'a{,2}}{'],
      ['^[^]$', '\n'],
      ['a|', 'b'],
      ['', 'x'],
    ];
    for (const [pattern, on] of CASES) {
      const own = compileLinearPattern(pattern).exec(on);
      const native = new RegExp(pattern).exec(on);
      expect(own === null ? null : [own.index, ...own.groups], pattern).to.deep.equal(
        native && [native.index, ...native],
      );
    }
  });

  for (const [pattern, on] of ENDLESS)
    it(`finish in time for ${pattern.slice(0, 40)}`, () => {
      const elapsed = startStopwatch();
      const linear = compileLinearPattern(pattern);
      expect([linear.test(on), linear.exec(on)]).to.deep.equal([false, null]);
      expect(elapsed()).to.be.lessThan(1000);
    });

  for (const pattern of REJECTED)
    it(`reject ${pattern}`, () =>
      expect(() => compileLinearPattern(pattern))
        .to.throw(Error)
        .with.property('name', 'Error'));
});

describe('patterns of a manifest', () => {
  const spec = (pattern: RegExp) =>
    definePlugin({
      kind: 'feature',
      name: 'strange',
      since: '1.0.0',
      summary: 'A stranger.',
      facts: { applies: 'when-present' },
      slots: { resource: shape({ strange: text({ doc: 'Text.', examples: ['ab'] }).matches(pattern) }) },
      examples: [{ title: 'One', json: { strange: 'ab' } }],
      counterExamples: [{ title: 'None', json: { strange: 1 }, code: 'DEF_TYPE', at: '/strange' }],
    });
  const formatPatternManifest = (pattern: RegExp): string => {
    const own = spec(pattern);
    const registry = buildRegistry(kinds, [...specs, own]);
    return formatManifest(createManifest({ registry, version: '0.0.0', kinds: [], specs: [own], runtime: () => null }));
  };

  it('check a definition in linear time, whatever they repeat', () => {
    const { specs: foreign } = toSpecs(readManifest(formatPatternManifest(/^(a+){2,30}b$/)));
    const registry = buildRegistry(kinds, [...specs, ...foreign]);
    const file = {
      file: 'a.json',
      text: JSON.stringify({ id: 'a', resource: 'a', strange: 'a'.repeat(2000), actionables: [] }),
    };
    const elapsed = startStopwatch();
    const codes = analyseFiles([file], registry, { env: null }).problems.map(({ code }) => code);
    expect(codes).to.include('DEF_FORMAT');
    expect(elapsed()).to.be.lessThan(3000);
  });

  it('are rejected if they cannot be matched in linear time', () => {
    expect(() => readManifest(formatPatternManifest(/^(a+)\1$/))).to.throw('not matched in linear time');
  });
});
