/**
 * Positions in a file with any line ends, escapes and characters: positions of offsets, characters inside escaped
 * strings, and code frames.
 */
import { expect } from 'chai';
import type { Problem } from '../../../contract/problem.js';
import { createDocument, createWindow, positionAt, rangeAt } from '../../../language/source/document.js';
import { findCursor } from '../../../language/source/cursor.js';
import {
  findContentEnd,
  toDecodedOffset,
  toDocumentOffset,
  createOffsetMap,
} from '../../../language/source/escapes.js';
import { formatCodeFrame } from '../../../language/source/code-frame.js';
import type { LocatedNode } from '../../../language/source/tree.js';
import { parseSource } from '../../../language/source/parse.js';
import { fc } from '../../support/properties.js';

const parse = (text: string): LocatedNode => {
  const { root } = parseSource(createDocument('a.json', text));
  if (root === null) throw new Error(`no tree: ${text}`);
  return root;
};

describe('document', () => {
  const cases: readonly (readonly [string, string, number, number, number])[] = [
    ['the start', 'ab', 0, 0, 0],
    ['the end', 'ab', 2, 0, 2],
    ['behind LF', 'a\nb', 2, 1, 0],
    ['on LF', 'a\nb', 1, 0, 1],
    ['behind CRLF', 'a\r\nb', 3, 1, 0],
    ['between CR and LF', 'a\r\nb', 2, 0, 2],
    ['after CR alone', 'a\rb', 2, 1, 0],
    ['after mixed line ends', 'a\r\rb\n\nc', 6, 4, 0],
    ['after an emoji: two UTF-16 units', '🙂x', 2, 0, 2],
    ['after a byte order mark: it counts', '\ufeffx', 1, 0, 1],
    ['beyond the end', 'ab', 99, 0, 2],
    ['before the start', 'ab', -5, 0, 0],
    ['an empty last line', 'a\n', 2, 1, 0],
  ];
  for (const [title, text, offset, line, character] of cases) {
    it(`position: ${title}`, () => {
      expect(positionAt(createDocument('f', text), offset)).to.deep.equal({ line, character });
    });
  }

  it('has as many lines as the text, for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', '🙂', '')), (pieces) => {
        const text = pieces.join('');
        const doc = createDocument('f', text);
        expect(doc.lineStarts.length).to.equal(text.split(/\r\n|\n|\r/).length);
        for (let offset = 0; offset <= text.length; offset++) {
          const { line, character } = positionAt(doc, offset);
          expect((doc.lineStarts[line] ?? -1) + character).to.equal(offset);
        }
      }),
    );
  });
});

describe('offsets inside a string', () => {
  const place = (json: string, part: string): string => {
    const doc = createDocument('f', json);
    const node = parse(json);
    const text = String(node.scalar);
    const at = text.indexOf(part);
    return json.slice(toDocumentOffset(doc, node, at), toDocumentOffset(doc, node, at + part.length));
  };
  const cases: readonly (readonly [string, string, string])[] = [
    ['"a $X b"', '$X', '$X'],
    [String.raw`"\n\t\"\\\/\b $X"`, '$X', '$X'],
    [String.raw`"\u0041\u00e9 $X"`, '$X', '$X'],
    [String.raw`"\ud83d\ude42 $X"`, '$X', '$X'],
    ['"🙂é $X 🙂"', '$X', '$X'],
    [String.raw`"\u0024X"`, '$X', String.raw`\u0024X`],
    [String.raw`"a\u0024\u0058b"`, '$X', String.raw`\u0024\u0058`],
    ['"$X"', '$X', '$X'],
  ];
  for (const [json, part, expected] of cases) it(json, () => expect(place(json, part)).to.equal(expected));

  it('are counted up to the end of an unterminated string', () => {
    for (const json of ['"a $X', String.raw`"\u0041 $X`, String.raw`"\"$X`, '"']) {
      const doc = createDocument('f', json);
      const span = { start: 0, end: json.length };
      const length = toDecodedOffset(doc, span, json.length);
      expect(toDocumentOffset(doc, span, length), json).to.equal(json.length);
      expect(createOffsetMap(doc, span)(length), json).to.equal(json.length);
      expect(findContentEnd(doc, span), json).to.equal(json.length);
      expect(findCursor(json, json.length).token?.isClosed, json).to.equal(false);
    }
  });

  it('are always inside the content of a string', () => {
    for (const [json, end] of [
      ['"ab"', 3],
      [String.raw`"a\""`, 4],
      ['""', 1],
    ] as const) {
      const doc = createDocument('f', json);
      const span = { start: 0, end: json.length };
      expect(findContentEnd(doc, span), json).to.equal(end);
      expect(toDocumentOffset(doc, span, 9), json).to.equal(end);
      expect(createOffsetMap(doc, span)(9), json).to.equal(end);
    }
  });

  it('map every character of any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = [...JSON.stringify(text).slice(1, -1)].join('');
        const json = `"${escaped}"`;
        const doc = createDocument('f', json);
        const node = parse(json);
        for (let i = 0; i <= text.length; i++) {
          const head = json.slice(1, toDocumentOffset(doc, node, i));
          // The text before the offset is exactly the text before the character.
          if (!/[\ud800-\udbff]$/.test(head)) expect(JSON.parse(`"${head}"`)).to.equal(text.slice(0, i));
        }
      }),
    );
  });
});

describe('code frame', () => {
  const plain = (_: string, text: string): string => text;
  const problem = (text: string, start: number, end: number, more: Partial<Problem> = {}): string => {
    const doc = createDocument('a/b.json', text);
    const made: Problem = {
      code: 'DEF_TYPE',
      severity: 'error',
      message: 'Wrong.',
      file: 'a/b.json',
      range: rangeAt(doc, start, end),
      related: [],
      ...more,
    };
    return formatCodeFrame(made, doc, plain);
  };

  it('shows location, message, line and marker', () => {
    expect(problem('{\n  "id": 5\n}', 10, 11)).to.equal(
      ['error DEF_TYPE Wrong.', '  ╭─ a/b.json:2:9', '2 │   "id": 5', '  │         ^'].join('\n'),
    );
  });

  it('marks a range over several lines to the end of its first line', () => {
    expect(problem('{ "a": [\n1] }', 7, 11).split('\n').slice(2)).to.deep.equal(['1 │ { "a": [', '  │        ^']);
  });

  it('keeps tabs, so that the marker is aligned', () => {
    expect(problem('\t\t"id": 5', 8, 9).split('\n')[3]).to.equal('  │ \t\t      ^');
  });

  it('marks a missing token at the end of the file once', () => {
    expect(problem('{\r\n', 3, 3).split('\n').slice(1)).to.deep.equal(['  ╭─ a/b.json:2:1', '2 │ ', '  │ ^']);
  });

  it('lists related locations and the fix', () => {
    const range = { start: { line: 4, character: 2 }, end: { line: 4, character: 3 } };
    const frame = problem('{}', 0, 1, {
      related: [{ file: 'c.json', range, message: 'here first' }],
      fix: { file: 'a/b.json', range, title: 'rename to "x"', text: '"x"' },
    });
    expect(frame.split('\n').slice(-2)).to.deep.equal(['  ├ c.json:5:3 here first', '  ╰ fix: rename to "x"']);
  });

  it('shows the line of the file for a definition inside a list', () => {
    const doc = createDocument('a.json', '[\n  { "id": 5 }\n]');
    const range = { start: { line: 1, character: 10 }, end: { line: 1, character: 11 } };
    const made: Problem = { code: 'X', severity: 'hint', message: 'M.', file: 'a.json', range, related: [] };
    expect(formatCodeFrame(made, createWindow(doc, 4, 15), plain)).to.equal(formatCodeFrame(made, doc, plain));
  });

  it('works without the text of the file', () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const made: Problem = { code: 'X', severity: 'hint', message: 'M.', file: 'f', range, related: [] };
    expect(formatCodeFrame(made, undefined, plain)).to.equal('hint X M.\n  ╭─ f:1:1');
  });
});
