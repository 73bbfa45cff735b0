/**
 * Every file has a header comment that says what is inside, and a limited size. None writes to the terminal instead of
 * the log.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { visitNodes, loadSources } from '../support/sources.js';

const MAX_LINES = 350;
const sources = loadSources(
  'contract',
  'language',
  'kernel',
  'cli',
  'plugins',
  'language-server',
  'extension',
  'test',
  'bench',
);

describe('architecture: files', () => {
  it('begin with a header comment', () => {
    const bare = sources.filter(({ text }) => !/^(#![^\n]*\n)?\/\*\*\s[^]*?\*\//.test(text)).map(({ path }) => path);
    expect(sources.length).to.be.greaterThan(150);
    expect(bare).to.deep.equal([]);
  });

  it(`have at most ${MAX_LINES} lines`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path);
    expect(long).to.deep.equal([]);
  });

  it('do not use the console outside the command line and the benchmark', () => {
    const loud = sources
      .filter(({ path, text }) => text.includes('console') && !/^(kernel\/cli(\.ts|\/)|bench\/)/.test(path))
      .filter((source) => {
        let found = false;
        visitNodes(source, (node) => {
          if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'console') found = true;
        });
        return found;
      });
    expect(loud.map(({ path }) => path)).to.deep.equal([]);
  });
});
