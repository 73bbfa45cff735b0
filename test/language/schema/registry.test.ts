/** Rejections of the registry: every error in kinds and specs, each with its code. */
import { expect } from 'chai';
import { number, object, string } from 'yup';
import type { Registry } from '../../../language/analysis/registry.js';
import { buildRegistry } from '../../../language/analysis/build-registry.js';
import { BootError } from '../../../contract/boot-error.js';
import { defineKind, type Kind } from '../../../contract/kind.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { flag, list, shape, slot, text } from '../../../contract/combinators.js';
import { specs } from '../../../plugins/index.spec.js';
import { kinds } from '../../../plugins/index.kinds.js';

const gadget = defineKind<object>({
  kind: 'gadget',
  title: 'Gadget',
  summary: 'For tests.',
  slots: ['resource'],
  select: { by: 'always' },
  facts: {
    weight: { doc: 'How heavy.', type: 'number', required: true },
    colour: { doc: 'Which colour.', type: 'string', required: false, oneOf: ['red', 'blue'] },
    pieces: { doc: 'Of what.', type: 'list', required: false },
  },
  handle: [],
  host: (fragment) => ({ file: 'resource', json: { example: fragment }, at: '/example' }),
}) as Kind;

const spec = (changes: Partial<PluginSpec> = {}): PluginSpec => ({
  kind: 'gadget',
  name: 'hammer',
  since: '0.1.0',
  summary: 'A hammer.',
  facts: { weight: 1 },
  examples: [{ title: 'One', json: {} }],
  counterExamples: [{ title: 'None', json: {}, code: 'DEF_TYPE', at: '' }],
  ...changes,
});

const build = (added: readonly PluginSpec[], addedKinds: readonly Kind[] = [gadget]): Registry =>
  buildRegistry([...kinds, ...addedKinds], [...specs, ...added]);

function catchBootError(run: () => unknown): BootError {
  try {
    run();
  } catch (error) {
    if (error instanceof BootError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('registry', () => {
  it('accepts the distribution, and a valid new kind with a valid plugin', () => {
    const registry = build([spec({ schema: shape({ hammer: flag({ doc: 'With a hammer.' }) }) })]);
    expect(registry.plugin('gadget', 'hammer')?.summary).to.equal('A hammer.');
    expect(registry.names('gadget')).to.deep.equal(['hammer']);
    expect(Object.keys(registry.schema('gadget:hammer', 'resource')?.fields ?? {})).to.deep.equal(['hammer']);
  });

  it('does not depend on the order of the specs', () => {
    const backwards = buildRegistry([...kinds].reverse(), [...specs].reverse());
    expect([...backwards.plugins.keys()].sort()).to.deep.equal([...build([]).plugins.keys()].sort());
  });

  describe('rejects', () => {
    it('a plugin of an undeclared kind', () => {
      const error = catchBootError(() => build([spec({ kind: 'widget' })]));
      expect([error.code, error.params['kind']]).to.deep.equal(['PLG_UNKNOWN_KIND', 'widget']);
    });

    it('two plugins of one name', () => {
      expect(catchBootError(() => build([spec(), spec()])).code).to.equal('PLG_DUPLICATE');
      expect(catchBootError(() => build([...specs.slice(0, 1)])).code).to.equal('PLG_DUPLICATE');
    });

    it('two kinds of one name', () => {
      const error = catchBootError(() => build([], [gadget, gadget]));
      expect([error.code, error.params['name']]).to.deep.equal(['PLG_DUPLICATE', 'kind gadget']);
    });

    const facts: readonly (readonly [string, PluginSpec['facts'], string])[] = [
      ['no facts at all', undefined, 'weight'],
      ['a missing fact', { colour: 'red' }, 'weight'],
      ['a number written as text', { weight: '1' }, 'weight'],
      ['a value that is not allowed', { weight: 1, colour: 'green' }, 'colour'],
      ['a value that should be a list', { weight: 1, pieces: 'iron' }, 'pieces'],
    ];
    for (const [title, given, fact] of facts) {
      it(`facts: ${title}`, () => {
        const { facts: _, ...bare } = spec();
        const error = catchBootError(() => build([given === undefined ? bare : { ...bare, facts: given }]));
        expect([error.code, error.params['fact']]).to.deep.equal(['PLG_FACTS', fact]);
      });
    }

    it('a kind in an undeclared slot', () => {
      const error = catchBootError(() => build([], [{ ...gadget, slots: ['attic'] }]));
      expect([error.code, error.params['slot']]).to.deep.equal(['PLG_UNKNOWN_SLOT', 'attic']);
    });

    it('no slot that a plugin of another kind opens', () => {
      const opener = spec({
        name: 'crate',
        schema: shape({ crate: slot(['attic'], { doc: 'What is in the crate.' }) }),
      });
      const lodger: Kind = { ...gadget, kind: 'lodger', slots: ['attic'], facts: {} };
      expect(build([opener], [gadget, lodger]).listKinds('attic')).to.deep.equal([lodger]);
    });

    const incomplete: readonly (readonly [string, Partial<PluginSpec>, RegExp])[] = [
      ['no example', { examples: [] }, /no example/],
      ['no counter-example', { counterExamples: [] }, /no counter-example/],
      ['no summary', { summary: '  ' }, /no summary/],
      ['no version', { since: '' }, /since which version/],
      ['a name with spaces', { name: 'big hammer' }, /plain word/],
      ['an undocumented field', { schema: object({ size: number() }) }, /gadget:hammer\.size has no `doc`/],
      [
        'an undocumented nested field',
        { schema: shape({ a: shape({ b: string() }).meta({ doc: 'A.' }) }) },
        /a\.b has no/,
      ],
      [
        'an undocumented field of list items',
        { schema: shape({ a: list(shape({ b: string() }), { doc: 'A.' }) }) },
        /a\[\]\.b has no/,
      ],
    ];
    for (const [title, changes, words] of incomplete) {
      it(`a spec with ${title}`, () => {
        const error = catchBootError(() => build([spec(changes)]));
        expect(error.code).to.equal('PLG_SPEC');
        expect(error.params['what']).to.match(words);
      });
    }
  });

  describe('rejects a field that is already used', () => {
    const feature = (name: string, where: string, field: string): PluginSpec =>
      spec({
        kind: 'feature',
        name,
        facts: { applies: 'when-present' },
        slots: { [where]: shape({ [field]: text({ doc: 'X.' }) }) },
      });
    const cases: readonly (readonly [string, readonly PluginSpec[], string])[] = [
      ['by the kernel', [feature('x', 'resource', 'resource')], 'resource'],
      ['by the kernel, in an actionable', [feature('x', 'actionable', 'no_op')], 'no_op'],
      ['by another feature', [feature('x', 'actionable', 'depends_on')], 'depends_on'],
      ['by another new feature', [feature('x', 'resource', 'both'), feature('y', 'resource', 'both')], 'both'],
      ['by the selector of a kind', [feature('x', 'actionable', 'mode')], 'mode'],
      ['by a mode', [feature('x', 'actionable', 'value')], 'value'],
      ['by a plugin that is chosen by key and mode', [feature('x', 'actionable', 'sql_query')], 'sql_query'],
      [
        'by the common fields of its kind',
        [
          spec({
            kind: 'field-type',
            name: 'Odd',
            facts: { column: 'text' },
            schema: shape({ unique: text({ doc: 'X.' }) }),
          }),
        ],
        'unique',
      ],
      [
        'by the selector, in the config',
        [
          spec({
            kind: 'dialect',
            name: 'odd',
            facts: { returning: true, embedded: true },
            schema: shape({ use: text({ doc: 'X.' }) }),
          }),
        ],
        'use',
      ],
    ];
    for (const [title, added, field] of cases) {
      it(title, () => {
        const error = catchBootError(() => build(added));
        expect([error.code, error.params['field']]).to.deep.equal(['PLG_FIELD_TAKEN', field]);
      });
    }

    it('accepts the same field in two plugins that are never in one object', () => {
      expect(() => build([feature('x', 'resource', 'both'), feature('y', 'actionable', 'both')])).not.to.throw();
      const type = (name: string): PluginSpec =>
        spec({ kind: 'field-type', name, facts: { column: 'text' }, schema: shape({ both: text({ doc: 'X.' }) }) });
      expect(() => build([type('One'), type('Two')])).not.to.throw();
    });
  });
});
