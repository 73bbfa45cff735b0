/**
 * Contract of validation types: accept their own samples, reject other types, and report what is wrong without the
 * value.
 */
import { expect } from 'chai';
import type { Issue } from '../../contract/problem.js';
import { isObject, type JsonObject } from '../../contract/json.js';
import type { ValidationType } from '../../plugins/validation-types/kind.js';
import type { Plugins } from './kind-support.js';
import { fc } from '../support/properties.js';

const VALUES: Readonly<Record<string, unknown>> = {
  string: 'canary-text',
  number: 424242.5,
  boolean: true,
  array: ['canary-item'],
  object: { canary: 'canary-member' },
};

/** Rules of types with more than a length. */
const OTHERS: Readonly<Record<string, readonly JsonObject[]>> = {
  NUMBER: [
    { min: 5.5, max: 5.9 },
    { max: -3 },
    { integer: true, min: 0, max: 0.5 },
    { integer: true, min: -7.5, max: -6.5 },
    { min: 1e6 },
  ],
  OBJECT: [
    {},
    { fields: { a: { type: 'OBJECT', fields: { b: { type: 'EMAIL' }, c: { type: 'NUMBER', optional: true } } } } },
    { closed: true, min_length: 9, fields: { 'a/b': { type: 'STRING' } } },
  ],
  ARRAY: [
    { arr_length: 0 },
    { arr_min_length: 3 },
    { arr_min_length: 2, arr_length: 2, closed: true, fields: { tags: { type: 'STRINGARRAY' } } },
  ],
  STRINGARRAY: [{ arr_length: 0 }, { arr_min_length: 3, items_min_length: 9 }, { items_max_length: 1 }],
};

/** Bounds of a type with `bounded`. */
const BOUNDS: readonly JsonObject[] = [
  { min_length: 1 },
  { min_length: 40 },
  { max_length: 100 },
  { max_length: 8 },
  { min_length: 20, max_length: 20 },
];

export function validationTypeContract(plugins: Plugins, name: string): void {
  describe(`validation type ${name}`, () => {
    let type: ValidationType;
    before(async () => (type = await plugins.handle<ValidationType>('validation-type', name)));

    const spec = plugins.project.registry.plugin('validation-type', name);
    const jsType = String(plugins.fact('validation-type', name, 'jsType'));
    const bounded = plugins.fact('validation-type', name, 'bounded') === true;
    const examples = (spec?.examples ?? []).map(({ json }) => json).filter(isObject);
    const rules = [
      ...examples,
      ...[...(bounded ? BOUNDS : []), ...(OTHERS[name] ?? [])].map((rule) => ({ type: name, ...rule })),
    ];

    const validateValue = (rule: JsonObject, value: unknown, pointer = '/field'): Issue[] => {
      const issues: Issue[] = [];
      type.compile(rule)(value, pointer, issues);
      return issues;
    };

    for (const rule of rules) {
      it(`accepts its sample for ${JSON.stringify(rule)}`, () => {
        expect(validateValue(rule, type.sample(rule)), JSON.stringify(type.sample(rule))).to.deep.equal([]);
      });
    }

    for (const [other, value] of Object.entries(VALUES)) {
      if (other === jsType) continue;
      it(`rejects a value of type ${other}`, () => {
        expect(validateValue({ type: name }, value)).to.have.length.greaterThan(0);
      });
    }

    it('reports the place, with a code and a message, and never repeats the value', () => {
      for (const value of Object.values(VALUES)) {
        for (const issue of validateValue({ type: name, min_length: 900 }, value, '/a/0/b')) {
          expect(issue).to.have.all.keys('pointer', 'code', 'detail');
          expect(issue.pointer).to.match(/^\/a\/0\/b(\/|$)/);
          expect(issue.code).to.match(/^[a-z_]+$/);
          expect(issue.detail).to.match(/^(must|is|has) /);
          expect(JSON.stringify(issue)).not.to.match(/canary|424242/);
        }
      }
    });

    if (bounded) {
      it('measures length in characters, not in code units', () => {
        const text = type.sample({ type: name }) as string;
        const length = [...text].length;
        expect(validateValue({ type: name, min_length: length, max_length: length }, text)).to.deep.equal([]);
        expect(validateValue({ type: name, max_length: length - 1 }, text).map(({ code }) => code)).to.deep.equal([
          'max_length',
        ]);
        expect(validateValue({ type: name, min_length: length + 1 }, text).map(({ code }) => code)).to.deep.equal([
          'min_length',
        ]);
      });
    }

    it('checks anything without an exception, with the same result twice', () => {
      fc.assert(
        fc.property(fc.jsonValue(), (value) => {
          expect(validateValue({ type: name }, value)).to.deep.equal(validateValue({ type: name }, value));
        }),
      );
    });
  });
}
