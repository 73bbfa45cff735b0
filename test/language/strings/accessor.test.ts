/** The accessor grammar: accessors inside a text, plain dollar signs, and properties for any text. */
import { expect } from 'chai';
import { listAccessors, parseTemplate } from '../../../language/strings/accessor.js';
import { measureCpuTime } from '../../support/cpu.js';
import { generateText, fc } from '../../support/properties.js';

/** `text` and `<ROOT.a.b>` in one line. */
const formatTemplate = (text: string): string[] =>
  parseTemplate(text).map((part) => (typeof part === 'string' ? part : `<${[part.root, ...part.tail].join('.')}>`));

describe('accessor grammar', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    ['plain', ['plain']],
    ['$NAME', ['<NAME>']],
    ['$NAME.a', ['<NAME.a>']],
    ['$NAME.a.b-c.0', ['<NAME.a.b-c.0>']],
    ['$NAME.0', ['<NAME.0>']],
    ['$NAME.A_b-9', ['<NAME.A_b-9>']],
    ['$A', ['<A>']],
    ['$A1_B', ['<A1_B>']],
    ['$NAME.', ['<NAME>', '.']],
    ['$NAME.a.', ['<NAME.a>', '.']],
    ['$NAME..a', ['<NAME>', '..a']],
    ['$NAME.a..b', ['<NAME.a>', '..b']],
    ['/u/$NAME.id.', ['/u/', '<NAME.id>', '.']],
    ['a $NAME.a, b', ['a ', '<NAME.a>', ', b']],
    ['$A$B', ['<A>', '<B>']],
    ['$A.x$B.y', ['<A.x>', '<B.y>']],
    ['$A.x.$B', ['<A.x>', '.', '<B>']],
    ['($A)', ['(', '<A>', ')']],
    ['"$A.b"', ['"', '<A.b>', '"']],
    ['$A-b', ['<A>', '-b']],
    ['$A.é', ['<A>', '.é']],
    ['🙂$A🙂', ['🙂', '<A>', '🙂']],
    ['$A\n$B', ['<A>', '\n', '<B>']],
    // Merely dollar signs.
    ['$', ['$']],
    ['$$', ['$$']],
    ['$1', ['$1']],
    ['$1::int', ['$1::int']],
    ['$set', ['$set']],
    ['$name.x', ['$name.x']],
    ['$Name', ['$Name']],
    ['$NAMEs', ['$NAMEs']],
    ['$NAMEs.x', ['$NAMEs.x']],
    ['$_A', ['$_A']],
    ['$2b$10$abcdefghijklmnopqrstuv', ['$2b$10$abcdefghijklmnopqrstuv']],
    ['$argon2id$v=19$m=65536', ['$argon2id$v=19$m=65536']],
    ['$É', ['$É']],
    ['US$', ['US$']],
    ['5$ and $NAME', ['5$ and ', '<NAME>']],
    ['$$NAME', ['$', '<NAME>']],
    ['$$ROOT', ['$$ROOT']],
    ['$$ROOT.a $ROOT', ['$$ROOT.a ', '<ROOT>']],
    ['$$ROOTS', ['$', '<ROOTS>']],
    ['$1$NAME', ['$1', '<NAME>']],
    ['${NAME}', ['${NAME}']],
  ];
  for (const [text, expected] of cases)
    it(JSON.stringify(text), () => expect(formatTemplate(text)).to.deep.equal(expected));

  const pieces = fc.array(
    fc.constantFrom('$', '$$', 'A', 'NAME', '.', '..', 'a', '0', '-', '_', ' ', 'é', '🙂', '{', '\n'),
    { maxLength: 30 },
  );
  const texts = fc.oneof(
    pieces.map((list) => list.join('')),
    generateText(),
  );

  it('never throws, and its parts restore the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parts = parseTemplate(text);
        const joined = parts
          .map((part) => (typeof part === 'string' ? part : text.slice(part.start, part.end)))
          .join('');
        expect(joined).to.equal(text);
        expect(parts).not.to.include('');
      }),
      { numRuns: 1000 },
    );
  });

  it('returns accessors with their properties', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const { root, tail, start, end } of listAccessors(text)) {
          expect(text.slice(start, end)).to.equal([`$${root}`, ...tail].join('.'));
          expect(root).to.match(/^[A-Z][A-Z0-9_]*$/);
          for (const segment of tail) expect(segment).to.match(/^[A-Za-z0-9_-]+$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('reads a part the same at any position between spaces', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(formatTemplate(` ${text} `).join('')).to.equal(` ${formatTemplate(text).join('')} `);
      }),
    );
  });

  it('takes linear time for adversarial texts', () => {
    const texts = ['$'.repeat(200_000), '$A'.repeat(100_000), '$A.'.repeat(100_000), `$${'A'.repeat(200_000)}a`];
    expect(measureCpuTime(() => texts.map((text) => parseTemplate(text)))).to.be.lessThan(2000);
  });
});
