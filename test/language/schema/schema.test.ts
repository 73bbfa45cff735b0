/** Schemas folded into plain data: what is supported, and what is rejected because the walker would not check it. */
import { expect } from 'chai';
import { date, lazy, mixed, number, object, string } from 'yup';
import type { SchemaLike } from '../../../contract/plugin-spec.js';
import { foldSchema, FoldError } from '../../../language/schema/fold.js';

describe('schema folding', () => {
  const doc = { doc: 'X.' };
  const cases: readonly (readonly [string, SchemaLike])[] = [
    ['a value that is not a yup schema', { __isYupSchema__: true }],
    ['an e-mail test', object({ a: string().email().meta(doc) })],
    [
      'a custom test',
      object({
        a: string()
          .test('odd', () => true)
          .meta(doc),
      }),
    ],
    ['values that are not allowed', object({ a: string().notOneOf(['x']).meta(doc) })],
    [
      'a field that depends on another',
      object({
        a: string()
          .meta(doc)
          .when('b', ([b], s) => (b ? s.required() : s)),
        b: string().meta(doc),
      }),
    ],
    ['a pattern with flags', object({ a: string().matches(/x/i).meta(doc) })],
    ['a field whose metadata have no doc', object({ a: string().meta({} as never) })],
    ['a date', object({ a: date().meta(doc) })],
    ['a lazy schema', object({ a: lazy(() => mixed()) })],
  ];
  for (const [title, schema] of cases) {
    it(`rejects ${title}`, () => expect(() => foldSchema(schema, 'x')).to.throw(FoldError));
  }

  it('produces the nodes that the walker checks', () => {
    const { fields } = foldSchema(
      object({
        a: number().moreThan(1).lessThan(9).meta(doc),
        b: number().positive().max(5).integer().required().meta(doc),
        c: string().length(3).nullable().matches(/^x/).meta(doc),
        d: string().oneOf(['p', 'q']).meta(doc),
      }),
      'x',
    );
    expect(fields['a']?.bounds).to.deep.equal({ above: 1, below: 9 });
    expect(fields['b']?.bounds).to.deep.equal({ above: 0, max: 5, integer: true });
    expect([fields['b']?.required, fields['c']?.nullable]).to.deep.equal([true, true]);
    expect(fields['c']?.bounds).to.deep.equal({ length: 3, pattern: '^x' });
    expect(fields['d']?.values).to.deep.equal(['p', 'q']);
  });
});
