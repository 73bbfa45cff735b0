/** Texts as trees: comments, errors, duplicate keys, half-typed files; positions, and parts that are never lost. */
import { expect } from 'chai';
import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { createDocument } from '../../../language/source/document.js';
import { escapePointer } from '../../../contract/json.js';
import { parseValidTree } from '../../../language/source/valid-tree.js';
import { findMember, findNode, toJson, type LocatedNode } from '../../../language/source/tree.js';
import { MAX_DEPTH, parseSource } from '../../../language/source/parse.js';
import { fc } from '../../support/properties.js';
import { countRuns } from '../../support/sample.js';

const parse = (text: string): LocatedNode => {
  const { root } = parseSource(createDocument('a.json', text));
  if (root === null) throw new Error(`no tree: ${text}`);
  return root;
};
const listFaults = (text: string): string[] =>
  parseSource(createDocument('a.json', text)).faults.map(({ code, start, end }) => `${code} ${start}-${end}`);

function expectSameNode(node: LocatedNode, { type, offset, length, value, children = [] }: Node): void {
  expect([node.type, node.start, node.end]).to.deep.equal([type, offset, offset + length]);
  if (type === 'array') expect(node.items.length).to.equal(children.length);
  else if (type === 'object') expect(node.members.length).to.equal(children.length);
  else expect(node.scalar).to.equal(value);
  node.items.forEach((item, i) => expectSameNode(item, children[i] as Node));
  node.members.forEach(({ key, keyStart, keyEnd, value: inner }, i) => {
    const [name, child] = children[i]?.children as [Node, Node];
    expect([key, keyStart, keyEnd]).to.deep.equal([name.value, name.offset, name.offset + name.length]);
    expectSameNode(inner as LocatedNode, child);
  });
}

describe('source tree', () => {
  it('reads JSON with comments and trailing commas', () => {
    const root = parse('// a\n{ "a": [1, "x", true, null,], /* b */ "b": { "c": -1.5e3 }, }');
    expect(JSON.stringify(toJson(root))).to.equal('{"a":[1,"x",true,null],"b":{"c":-1500}}');
  });

  it('returns the position of every node', () => {
    const text = '{ "a": [1, "x"], "b": { } }';
    const root = parse(text);
    const findNodeText = (pointer: string): string | undefined => {
      const found = findNode(root, pointer);
      return found === null ? undefined : text.slice(found.node.start, found.node.end);
    };
    expect(findNodeText('')).to.equal(text);
    expect(findNodeText('/a')).to.equal('[1, "x"]');
    expect(findNodeText('/a/1')).to.equal('"x"');
    expect(findNodeText('/b')).to.equal('{ }');
    expect([findNodeText('/c'), findNodeText('/a/2'), findNodeText('/a/x'), findNodeText('/b/0')]).to.deep.equal(
      Array(4).fill(undefined),
    );
    const member = findMember(root, 'a');
    expect(text.slice(member?.keyStart, member?.keyEnd)).to.equal('"a"');
  });

  it('has a pointer for every node that resolves to it, unusual keys included', () => {
    const root = parse('{ "a/b": { "~1": [[{ "": 1 }]] }, "": { "~": 2 }, "🙂": 3, "0": { "1": 4 } }');
    const walk = (node: LocatedNode): void => {
      expect(findNode(root, node.pointer)?.node).to.equal(node);
      node.items.forEach(walk);
      node.members.forEach(({ value }) => value !== null && walk(value));
    };
    walk(root);
    expect(findNode(root, '/a~1b/~01/0/0/')?.node.scalar).to.equal(1);
    expect(escapePointer('a/~b')).to.equal('a~1~0b');
  });

  it('reports a duplicate key at its second occurrence and names the first', () => {
    const { faults, root } = parseSource(createDocument('f', '{"a":1,"b":{"a":2},"a":3,"a":4}'));
    expect(faults.map(({ code, start, related }) => [code, start, related?.start])).to.deep.equal([
      ['SRC_DUPLICATE_KEY', 19, 1],
      ['SRC_DUPLICATE_KEY', 25, 1],
    ]);
    expect(root?.members.length).to.equal(4);
  });

  it('does not pollute a prototype', () => {
    const json = toJson(parse('{ "__proto__": { "polluted": true }, "constructor": 1, "a": {} }'));
    expect(Object.getPrototypeOf(json)).to.equal(null);
    expect(Object.keys(json as object)).to.deep.equal(['__proto__', 'constructor', 'a']);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('distinguishes an empty file from one that is not JSON', () => {
    expect(listFaults('')).to.deep.equal(['SRC_EMPTY 0-0']);
    expect(listFaults(' \n// later\n')).to.deep.equal(['SRC_EMPTY 0-11']);
    expect(listFaults('\ufeff')).to.deep.equal(['SRC_EMPTY 0-1']);
    expect(listFaults('hello')[0]).to.equal('SRC_SYNTAX 0-5');
    expect(listFaults('/* open')[0]).to.equal('SRC_SYNTAX 0-7');
  });

  it('reports one missing token per position', () => {
    expect(listFaults('{"a":{"b":{"c":1')).to.deep.equal(['SRC_SYNTAX 16-16']);
  });

  it('retains the complete parts of a half-typed file', () => {
    const { root, faults } = parseSource(createDocument('f', '{"a": 1, "b": [1, 2'));
    expect(faults.length).to.be.greaterThan(0);
    expect(root === null ? null : JSON.stringify(toJson(root))).to.equal('{"a":1,"b":[1,2]}');
    const open = parseSource(createDocument('f', '{"a": ')).root;
    expect(open?.members.map(({ key, value }) => [key, value])).to.deep.equal([['a', null]]);
  });

  it(`accepts ${MAX_DEPTH} levels and rejects one more, at the excess bracket`, () => {
    const nestArrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(listFaults(nestArrays(MAX_DEPTH))).to.deep.equal([]);
    expect(listFaults(nestArrays(MAX_DEPTH + 1))).to.deep.equal([`SRC_TOO_DEEP ${MAX_DEPTH}-${MAX_DEPTH + 1}`]);
    expect(listFaults('{"a":'.repeat(100_000))[0]).to.match(/^SRC_TOO_DEEP/);
    // Brackets in strings and comments are no levels.
    expect(listFaults(`["${'['.repeat(100)}" /* ${'['.repeat(100)} */]`)).to.deep.equal([]);
  });

  it('returns the value that JSON.parse returns, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(toJson(parse(text)))).to.equal(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('is built in one pass if and only if the library finds no error, with the same nodes', () => {
    const whole = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 1));
    const pieces = [
      '',
      ',',
      ' ',
      '/* */',
      '// a\n',
      '"',
      '{',
      ']',
      '1',
      '-',
      '\\',
      '\t',
      '\ufeff',
      '"a": 1',
      '/*',
      'nul',
    ];
    const spoilt = fc.tuple(whole, fc.nat(), fc.nat(2), fc.constantFrom(...pieces)).map(([text, at, cut, piece]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + piece + text.slice(from + cut);
    });
    fc.assert(
      fc.property(fc.oneof(whole, spoilt), (text) => {
        const errors: ParseError[] = [];
        const bare = text.replace(/^\ufeff/, ' ');
        const library = parseTree(bare, errors, { allowTrailingComma: true });
        const valid = parseValidTree(text, MAX_DEPTH);
        expect(valid !== null, text).to.equal(errors.length === 0 && library !== undefined);
        if (valid !== null && library !== undefined) expectSameNode(valid.root, library);
      }),
      { numRuns: countRuns('edits', 600, 3000) },
    );
  });

  it('never throws, and has every error inside the text, for any text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '\\u00',
      '"a"',
      '1',
      '-',
      'tru',
      '//',
      '/*',
      '*/',
      '\n',
      '\r',
      '🙂',
      '\ufeff',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const { root, faults } = parseSource(createDocument('f', text));
        for (const { start, end } of faults) {
          expect(start).to.be.within(0, text.length);
          expect(end).to.be.within(start, text.length);
        }
        const walk = ({ start, end, items, members }: LocatedNode): void => {
          expect(start).to.be.within(0, text.length);
          expect(end).to.be.within(start, text.length);
          items.forEach(walk);
          for (const { keyStart, keyEnd, value } of members) {
            expect(keyStart).to.be.within(start, end);
            expect(keyEnd).to.be.within(keyStart, end);
            if (value !== null) walk(value);
          }
        };
        if (root === null) expect(faults.length).to.be.greaterThan(0);
        else walk(root);
      }),
      { numRuns: 500 },
    );
  });
});
