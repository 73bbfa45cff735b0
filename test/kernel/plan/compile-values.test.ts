/** Readers of definition values: constant values, values read for each request, and ordinary object keys. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { Fault } from '../../../contract/fault.js';
import { compileValue, toText, type CompileAccessor } from '../../../language/strings/value-reader.js';
import { createTestFrame } from '../../support/scopes.js';

const asked: string[] = [];
const accessor: CompileAccessor = ({ root, tail: [name = ''] }) => {
  const note = <T>(value: T): T => {
    asked.push(root);
    return value;
  };
  return root === 'ENV'
    ? { constant: true, field: name, read: () => note(`env ${name}`) }
    : { constant: false, field: name, read: ({ payload }) => note(payload[name]) };
};
const compile = (json: Json) => compileValue(json, accessor);
const frame = createTestFrame({ payload: { text: 'x', number: 5, no: false, list: [1], nothing: null } });

describe('values of a definition', () => {
  const constants: readonly (readonly [Json, unknown])[] = [
    ...[null, true, 0, '', 'plain', 'a $ sign'].map((json) => [json, json] as const),
    ['$ENV.A', 'env A'],
    ['in $ENV.A and $ENV.B', 'in env A and env B'],
    [
      ['$ENV.A', 1],
      ['env A', 1],
    ],
    [{ a: { b: '$ENV.A' } }, { a: { b: 'env A' } }],
    [[], []],
    [{}, {}],
  ];
  for (const [json, expected] of constants)
    it(`${JSON.stringify(json)} is constant, resolved once and frozen`, () => {
      const { constant, read } = compile(json);
      asked.length = 0;
      const [first, second] = [read(frame), read(frame)];
      expect([constant, first, asked.length]).to.deep.equal([true, expected, 0]);
      expect(first).to.equal(second);
      expect(Object.isFrozen(first)).to.equal(true);
    });

  const readers: readonly (readonly [Json, unknown])[] = [
    ['$PAYLOAD.number', 5],
    ['$PAYLOAD.list', [1]],
    ['n$PAYLOAD.number, $PAYLOAD.no of $ENV.A', 'n5, false of env A'],
    [
      ['$PAYLOAD.text', '$ENV.A', 1],
      ['x', 'env A', 1],
    ],
    [
      { a: '$PAYLOAD.text', b: ['$ENV.A'] },
      { a: 'x', b: ['env A'] },
    ],
  ];
  for (const [json, expected] of readers)
    it(`${JSON.stringify(json)} is resolved for each request`, () => {
      const { constant, read } = compile(json);
      expect([constant, read(frame)]).to.deep.equal([false, expected]);
      if (typeof expected === 'object' && json !== '$PAYLOAD.list') expect(read(frame)).not.to.equal(read(frame));
    });

  it('have a source field if they are a single accessor', () => {
    expect([compile('$PAYLOAD.a').field, compile('a $PAYLOAD.a').field]).to.deep.equal(['a', undefined]);
  });

  it('are not searched for accessors again', () => {
    const sent = createTestFrame({ payload: { text: '$ENV.A' } });
    expect(compile('is $PAYLOAD.text').read(sent)).to.equal('is $ENV.A');
  });

  it('may contain the key __proto__ as an ordinary key', () => {
    const json = JSON.parse('{"__proto__":{"admin":"$PAYLOAD.text"},"a":1}') as Json;
    const value = compile(json).read(frame) as Record<string, unknown>;
    expect(JSON.stringify(value)).to.equal('{"__proto__":{"admin":"x"},"a":1}');
    expect(value['admin']).to.equal(undefined);
    const plain = compile({ a: '$PAYLOAD.text' }).read(frame) as object;
    expect(Object.getPrototypeOf(plain)).to.equal(Object.prototype);
  });

  it('have a text form if they are text, a number or a boolean', () => {
    expect(['x', 5, true, ''].map((value) => toText(value, 'it'))).to.deep.equal(['x', '5', 'true', '']);
    for (const value of [null, undefined, {}, []])
      expect(() => toText(value, 'it'))
        .to.throw()
        .that.satisfies(({ code, params }: Fault) => code === 'ACC_NOT_TEXT' && params['name'] === 'it');
    expect(() => compile('a $PAYLOAD.list').read(frame))
      .to.throw()
      .that.satisfies(({ params }: Fault) => params['name'] === '$PAYLOAD.list');
  });
});
