/** Third-party text in hovers: nothing in it is a command, a picture or HTML, and code stays what it was. */
import { expect } from 'chai';
import { toCodeBlock, toCodeSpan, safeMarkdown } from '../../language-server/safe-markdown.js';

describe('language server: safe Markdown', () => {
  it('does not change plain text and code', () => {
    for (const text of [
      'One *word*, `a < b` and ``a ` <b>``.',
      '```json\n{"a": "<b>"}\n```',
      '[page](https://example.com/a)',
    ])
      expect(safeMarkdown(text)).to.equal(text);
  });

  it('escapes links, images and HTML', () => {
    expect(safeMarkdown('<img src=x>')).to.equal('&lt;img src=x>');
    expect(safeMarkdown('[a](command:x)')).to.equal('[a]\\(command:x)');
    expect(safeMarkdown('[a]( command:x)')).to.equal('[a]\\( command:x)');
    expect(safeMarkdown('![a](https://example.com/a.png)')).to.match(/^!\\\[/);
    expect(safeMarkdown('[a][b]\n\n[b]: command:x')).to.equal('[a][b]\n\n[b]\\: command:x');
    expect(safeMarkdown('<command:x>')).to.equal('&lt;command:x>');
  });

  it('treats an unpaired backtick as text', () => {
    for (const text of ['\\`<b>\\`', '`one\n\n<b>`', '``<b>`', '`<b>``'])
      expect(safeMarkdown(text), text)
        .to.include('&lt;b>')
        .and.not.to.match(/(^|[^;])<b>/);
  });

  it('truncates long text', () => {
    expect(safeMarkdown('a'.repeat(100_000)).length).to.be.below(5000);
  });

  it('uses fences that names and blocks cannot close', () => {
    expect(toCodeSpan('a')).to.equal('`a`');
    expect(toCodeSpan('a`b')).to.equal('``a`b``');
    expect(toCodeSpan('`')).to.equal('`` ` ``');
    expect(toCodeSpan('a\n\n# b')).to.equal('`a # b`');
    expect(toCodeBlock('```', 'json')).to.equal('````json\n```\n````');
  });
});
