/**
 * Edits of JSON texts with comments: members and items that are added and removed, layout, edits of editors. Also caret
 * positions in half-typed text, folding ranges, and the definitions of a file.
 */
import { expect } from 'chai';
import { applyEdits } from '../../../language/source/apply.js';
import { findClosingOffset, findCursor, findNextCharacter } from '../../../language/source/cursor.js';
import { createDocument, type TextChange } from '../../../language/source/document.js';
import {
  addItems,
  addMembers,
  findHolder,
  jsonLine,
  removeItem,
  removeMember,
} from '../../../language/source/edit-json.js';
import { findFolds } from '../../../language/source/folds.js';
import { formatDocument } from '../../../language/source/format.js';
import type { LocatedNode } from '../../../language/source/tree.js';
import { MAX_DEPTH, parseSource } from '../../../language/source/parse.js';
import { findObjects } from '../../../language/source/fragments.js';

/** The text after these edits. */
const applyChanges = (text: string, changes: readonly TextChange[]): string =>
  [...changes]
    .reverse()
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: now }) => result.slice(0, start) + now + result.slice(end), text);
function parseRoot(text: string): LocatedNode {
  const { root } = parseSource(createDocument('a.json', text));
  if (root === null) throw new Error(`no tree: ${text}`);
  return root;
}

describe('added members', () => {
  const MEMBERS: readonly (readonly [before: string, after: string])[] = [
    ['{}', '{ "x": 1, "y": [] }'],
    ['{ }', '{ "x": 1, "y": [] }'],
    ['{\n}', '{ "x": 1, "y": [] }'],
    ['{ /* c */ }', '{ "x": 1, "y": [] /* c */ }'],
    ['{"a":1}', '{"a":1, "x": 1, "y": []}'],
    ['{ "a": 1, "b": 2 }', '{ "a": 1, "b": 2, "x": 1, "y": [] }'],
    ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "x": 1,\n  "y": []\n}'],
    ['{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"x": 1,\r\n\t"y": []\r\n}'],
    ['{\n /* c */ "a": 1 }', '{\n /* c */ "a": 1, "x": 1, "y": [] }'],
    ['{ // c\n    "a": 1, "b": {} }', '{ // c\n    "a": 1, "b": {},\n    "x": 1,\n    "y": [] }'],
  ];
  for (const [before, after] of MEMBERS) {
    it(JSON.stringify(before), () => {
      const doc = createDocument('a.json', before);
      const change = addMembers(doc, parseRoot(before), [
        ['x', '1'],
        ['y', '[]'],
      ]);
      expect(applyChanges(before, [change])).to.equal(after);
    });
  }

  const ITEMS: readonly (readonly [before: string, after: string])[] = [
    ['[]', '[1, 2]'],
    ['[ ]', '[1, 2]'],
    ['[0]', '[0, 1, 2]'],
    ['[ /* c */ ]', '[1, 2 /* c */ ]'],
    ['[\n  0\n]', '[\n  0,\n  1,\n  2\n]'],
  ];
  for (const [before, after] of ITEMS) {
    it(`items of ${JSON.stringify(before)}`, () =>
      expect(
        applyChanges(before, [addItems(createDocument('a.json', before), parseRoot(before), ['1', '2'])]),
      ).to.equal(after));
  }
});

describe('removed members', () => {
  const CASES: readonly (readonly [before: string, name: string, after: string])[] = [
    ['{"a":1}', 'a', '{}'],
    ['{ "a": 1 }', 'a', '{  }'],
    ['{ "a": 1, "b": 2 }', 'a', '{ "b": 2 }'],
    ['{ "a": 1, "b": 2 }', 'b', '{ "a": 1 }'],
    ['{ "a": 1, "b": 2, "c": 3 }', 'b', '{ "a": 1, "c": 3 }'],
    ['{ "a": 1, "b": 2, }', 'b', '{ "a": 1,  }'],
    ['{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', 'a', '{\n  "b": 2,\n  "c": 3\n}'],
    ['{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', 'b', '{\n  "a": 1,\n  "c": 3\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', 'b', '{\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "b": 2,\n}', 'b', '{\n  "a": 1,\n}'],
    ['{\r\n\t"a": 1, \r\n\t"b": 2\r\n}', 'a', '{\r\n\t"b": 2\r\n}'],
    ['{\r  "a": 1,\r  "b": 2\r}', 'a', '{\r  "b": 2\r}'],
    ['{\n  "a": 1, // one\n  "b": 2\n}', 'b', '{\n  "a": 1 // one\n}'],
    ['{\n  "a": 1, // one\n  "b": 2 // two\n}', 'b', '{\n  "a": 1 // one\n   // two\n}'],
    ['{ "a": 1 /* , */, "b": 2 }', 'a', '{ "b": 2 }'],
  ];
  for (const [before, name, after] of CASES) {
    it(`"${name}" of ${JSON.stringify(before)}`, () => {
      const root = parseRoot(before);
      const member = root.members.find(({ key }) => key === name);
      expect(
        applyChanges(before, member === undefined ? [] : removeMember(createDocument('a.json', before), root, member)),
      ).to.equal(after);
    });
  }

  it('of lists: items, and nothing for an item that is not in the list', () => {
    const text = '[1, 2, 3]';
    const root = parseRoot(text);
    const doc = createDocument('a.json', text);
    expect(root.items.map((item) => applyChanges(text, removeItem(doc, root, item)))).to.deep.equal([
      '[2, 3]',
      '[1, 3]',
      '[1, 2]',
    ]);
    expect(removeItem(doc, root, root)).to.deep.equal([]);
  });

  it('are found by the start of their names, at any depth', () => {
    const text = '{"a": [{"b": 1}, {"c": {"d": 2}}], "e": 3}';
    const keyAt = (name: string): string | undefined =>
      findHolder(parseRoot(text), text.indexOf(`"${name}"`))?.member.key;
    expect(['a', 'b', 'c', 'd', 'e'].map(keyAt)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(findHolder(parseRoot(text), 0)).to.equal(null);
    expect(findHolder(parseRoot(text), text.indexOf('2'))).to.equal(null);
    expect(findHolder(parseRoot(text), text.length)).to.equal(null);
  });

  it('are written on one line', () => {
    expect(jsonLine({ a: [1, { b: null }], c: {}, d: [], 'e"': 'x' })).to.equal(
      '{ "a": [1, { "b": null }], "c": {}, "d": [], "e\\"": "x" }',
    );
  });
});

describe('layout', () => {
  const laid = (text: string, finalBreak?: boolean, size = 2, spaces = true): string => {
    const doc = createDocument('a.json', text);
    return applyChanges(text, formatDocument(doc, parseSource(doc), { size, spaces, finalBreak }));
  };
  const key = 'k'.repeat(40);
  /** A first-level member whose line has so many columns, indent and comma included. */
  const line = (columns: number): string => `"${key}": ["${'x'.repeat(columns - key.length - 11)}"],`;
  const CASES: readonly (readonly [title: string, before: string, after: string])[] = [
    ['breaks the outermost object', '{"a":1,"b":2}', '{\n  "a": 1,\n  "b": 2\n}'],
    ['breaks the outermost list', '[1,2]', '[\n  1,\n  2\n]'],
    ['leaves empty ones', '{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
    ['keeps two levels on a line', '{"a":{"b":[1,2]}}', '{\n  "a": { "b": [1, 2] }\n}'],
    ['breaks three levels', '{"a":{"b":[[1]]}}', '{\n  "a": {\n    "b": [[1]]\n  }\n}'],
    ['counts empty lists as no level', '{"a":{"b":[[]]}}', '{\n  "a": { "b": [[]] }\n}'],
    ['keeps lines that were broken', '{"a":[1,\n2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
    [
      'tidies the gaps of a short line',
      '{"a":[ 1 ,2,\t3 ],"b":{"c" :{ } , "d":1,}}',
      '{\n  "a": [1, 2, 3],\n  "b": { "c": {}, "d": 1 }\n}',
    ],
    ['leaves texts as they are', '{"a":["  , [ ]  \\" , {"]}', '{\n  "a": ["  , [ ]  \\" , {"]\n}'],
    ['breaks what holds a comment', '{"a":[1 /* c */,2]}', '{\n  "a": [\n    1 /* c */,\n    2\n  ]\n}'],
    [
      'keeps a line of a hundred columns',
      `{\n  ${line(100).slice(0, -1)},\n  "b": 1\n}`,
      `{\n  ${line(100)}\n  "b": 1\n}`,
    ],
  ];
  for (const [title, before, after] of CASES) it(title, () => expect(laid(before)).to.equal(after));

  it('breaks a line of a hundred and one columns', () => {
    expect(laid(`{\n  ${line(100)}\n  "b": 1\n}`).split('\n')).to.have.length(4);
    expect(laid(`{\n  ${line(101)}\n  "b": 1\n}`).split('\n')).to.have.length(6);
  });

  it('ends the text as requested, and leaves the end unchanged otherwise', () => {
    expect([undefined, true, false].map((end) => laid('{"a":1}\n\n', end))).to.deep.equal([
      ...['{\n  "a": 1\n}\n\n', '{\n  "a": 1\n}\n', '{\n  "a": 1\n}'],
    ]);
    expect(laid('{"a":1}', true)).to.equal('{\n  "a": 1\n}\n');
    expect(laid('{\r\n"a":1}', true)).to.equal('{\r\n  "a": 1\r\n}\r\n');
    expect(laid('{"a":1} // end', true)).to.equal('{\n  "a": 1\n} // end\n');
  });

  it('accepts tabs, other indents, and a byte order mark', () => {
    expect(laid('{"a":1}', undefined, 4)).to.equal('{\n    "a": 1\n}');
    expect(laid('{"a":1}', undefined, 4, false)).to.equal('{\n\t"a": 1\n}');
    expect(laid('\ufeff{"a":1}')).to.equal('\ufeff{\n  "a": 1\n}');
    expect(laid('\ufeff  {"a":[ 1]}')).to.equal('\ufeff{\n  "a": [1]\n}');
  });

  it('leaves invalid text unchanged, but formats text with a duplicate key', () => {
    expect([laid('{"a":1'), laid(''), laid('{"a" 1}')]).to.deep.equal(['{"a":1', '', '{"a" 1}']);
    expect(laid('{"a":1,"a":2}')).to.equal('{\n  "a": 1,\n  "a": 2\n}');
    const done = createDocument('a.json', '{\n  "a": [1]\n}\n');
    expect(formatDocument(done, parseSource(done), { size: 2, spaces: true, finalBreak: true })).to.deep.equal([]);
  });
});

describe('caret position', () => {
  const CASES: readonly (readonly [
    text: string,
    at: string,
    path: string,
    token?: string | undefined,
    comma?: boolean,
  ])[] = [
    ['‸', 'value', ''],
    ['{‸', 'key', ''],
    ['{"a‸', 'key', 'a', 'a'],
    ['{"a"‸', 'none', 'a'],
    ['{"a"‸:', 'none', 'a'],
    ['{"a":‸', 'value', 'a'],
    ['{"a": tr‸', 'value', 'a', 'tr'],
    ['{"a": "x‸"', 'value', 'a', 'x'],
    ['{"a": "x"‸', 'key', '', undefined, true],
    ['{"a": 1 ‸', 'key', '', undefined, true],
    ['{"a": 1 "b‸', 'key', 'b', 'b', true],
    ['{"a": 1 "b": ‸', 'value', 'b'],
    ['{"a": 1, ‸', 'key', ''],
    ['{"a": [‸', 'value', 'a.0'],
    ['{"a": [1, ‸', 'value', 'a.1'],
    ['{"a": [1 ‸', 'none', 'a.0'],
    ['{"a": [1, {"b": 2}, ‸', 'value', 'a.2'],
    ['{"a": {}‸', 'key', '', undefined, true],
    ['{"a": {}, "b": {"c‸', 'key', 'b.c', 'c'],
    ['{"a": 1}‸', 'none', ''],
    ['[1 // x‸', 'none', '0'],
    ['{"a": 1 // x\n‸', 'key', '', undefined, true],
    ['{ /* x‸ */', 'none', ''],
    ['{ /* x */‸', 'key', ''],
    ['{ /* x‸', 'none', ''],
    ['[:‸', 'value', '0'],
  ];
  for (const [source, at, path, token, comma = false] of CASES) {
    it(JSON.stringify(source), () => {
      const offset = source.indexOf('‸');
      const found = findCursor(source.replace('‸', ''), offset);
      expect([found.at, found.path.join('.'), found.token?.text, found.comma !== null]).to.deep.equal([
        at,
        path,
        token,
        comma,
      ]);
      expect(found.offset).to.equal(offset);
    });
  }

  it('returns the token, whether it is closed, and where objects begin', () => {
    expect(findCursor('{"a": ["x', 9)).to.deep.include({
      opened: [0, 6],
      token: { start: 7, end: 9, isString: true, isClosed: false, text: 'x' },
    });
    expect(findCursor('["\\u0041b"]', 3).token).to.deep.equal({
      start: 1,
      end: 10,
      isString: true,
      isClosed: true,
      text: 'Ab',
    });
    expect(findCursor('[12]', 3).token).to.deep.equal({
      start: 1,
      end: 3,
      isString: false,
      isClosed: true,
      text: '12',
    });
    expect(findCursor('{"a": 1 , ', 8).comma).to.equal(7);
  });

  it('returns what follows, and where a bracket is closed', () => {
    expect(['{ /* c */ : 1', ' // c\n}', '  '].map((text) => findNextCharacter(text, 1))).to.deep.equal([':', '}', '']);
    expect(findClosingOffset('[{"a": [1, "]"]}, 2] x', 1)).to.equal(16);
    expect(findClosingOffset('[{"a": [1, "]"]}, 2] x', 0)).to.equal(20);
    expect(findClosingOffset('{"a": [1', 0)).to.equal(8);
  });
});

describe('folding ranges', () => {
  const folds = (text: string): string[] =>
    findFolds(createDocument('a.json', text)).map(
      ({ start, end, comment }) => `${start}-${end}${comment ? ' comment' : ''}`,
    );
  const CASES: readonly (readonly [text: string, folds: readonly string[]])[] = [
    ['{}', []],
    ['{\n}', []],
    ['{\n\n}', ['0-1']],
    ['[\n[\n1\n]\n]', ['0-3', '1-2']],
    ['{"a": [\n1,\n2]}', ['0-1', '0-1']],
    ['{ [\n\n}', ['0-1']],
    ['}\n[\n1\n]', ['1-2']],
    ['// a\n// b\n\n// c\n// d\n// e', ['0-1 comment', '3-5 comment']],
    ['// a\n[1]', []],
    ['/* a\n*/ [\n1\n]', ['0-1 comment', '1-2']],
    ['/* a */', []],
  ];
  for (const [text, expected] of CASES) it(JSON.stringify(text), () => expect(folds(text)).to.deep.equal(expected));
});

describe('definitions of a file', () => {
  const CASES: readonly (readonly [text: string, found: readonly string[] | null])[] = [
    ['{"a":1}', ['{"a":1}']],
    ['\ufeff \t\r\n{"a":1} // c', ['{"a":1}']],
    ['/* c */{"a":"}"}/* d */', ['{"a":"}"}']],
    ['[]', []],
    ['[{},{"b":[1]} , {"c":{}},]', ['{}', '{"b":[1]}', '{"c":{}}']],
    ['[ // c\n{"a":"\\"}"} /* , */ ]', ['{"a":"\\"}"}']],
    ['[{"a":"\\\\"},{}]', ['{"a":"\\\\"}', '{}']],
    ['[{/* } */},{// }\n}]', ['{/* } */}', '{// }\n}']],
    ['[{},,{}]', null],
    ['[{} {}]', null],
    ['[{}, 1]', null],
    ['[{}', null],
    ['[{}] x', null],
    ['{} {}', null],
    ['{} x', null],
    ['{', null],
    ['{"a', null],
    ['{ /* }', null],
    ['[{}] / x', null],
    ['[{}] /* x', null],
    ['1', null],
    ['', null],
  ];
  for (const [text, found] of CASES) {
    it(JSON.stringify(text), () =>
      expect(findObjects(text, () => undefined)?.map(({ start, end }) => text.slice(start, end)) ?? null).to.deep.equal(
        found,
      ),
    );
  }

  it('are at most as deep as a definition may be, including the list around them', () => {
    const nestJson = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(findObjects(nestJson(MAX_DEPTH - 1), () => undefined)).to.have.length(1);
    expect(findObjects(nestJson(MAX_DEPTH), () => undefined)).to.equal(null);
  });

  it('end where their end is certain', () => {
    expect(findObjects('[{}},{}]', (start) => (start === 1 ? 4 : undefined))).to.deep.equal([
      { start: 1, end: 4 },
      { start: 5, end: 7 },
    ]);
    expect(findObjects('{}}', () => 3)).to.deep.equal([{ start: 0, end: 3 }]);
  });
});

describe('text edits of editors', () => {
  const at = (line: number, character: number) => ({ line, character });
  it('all refer to the text before them', () => {
    const edits = [
      { range: { start: at(0, 1), end: at(0, 2) }, newText: 'XX' },
      { range: { start: at(1, 0), end: at(2, 1) }, newText: '' },
      { range: { start: at(9, 0), end: at(9, 0) }, newText: '!' },
    ];
    expect(applyEdits('abc\r\nde\nfg', edits)).to.equal('aXXc\r\ng!');
    expect(applyEdits('abc', [])).to.equal('abc');
  });
});
