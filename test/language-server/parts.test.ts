/**
 * Single modules of the language server: names and locations of environment variables, file URIs, code in Markdown,
 * descriptions of rules, positions in document queries.
 */
import { expect } from 'chai';
import { join } from 'node:path';
import type { Json } from '../../contract/json.js';
import type { MemberNames } from '../../contract/field-meta.js';
import { createEnvNames } from '../../language-server/env-names.js';
import { escapeJsonText } from '../../language-server/json-string.js';
import { formatFileLink } from '../../language-server/location-links.js';
import { resolveNextPlace, pathIn } from '../../language-server/queries/documents.js';
import { toCodeBlock, toCodeSpan } from '../../language-server/safe-markdown.js';
import { toFilePath, toFileUri } from '../../language-server/uri.js';
import { ruleCells, ruleMarkdown, ruleText } from '../../language-server/describe-rules.js';
import { createTrialRegistry } from '../support/fixtures.js';
import { createTempProject } from '../support/project.js';

describe('language server: names of environment variables', () => {
  it('are the keys of .env.example and .env, each with its places', async () => {
    const project = await createTempProject({
      '.env.example': '# A=1\nA=1\r\n  export B_2 = x\n1C=1\nD\n=e\nA=3\nA-F=1\nexportG=1\n',
      '.env': 'A=2\nexport\tH=1\n',
    });
    const names = createEnvNames(project.folder);
    expect([names.names, names.findLocations('A')]).to.deep.equal([[], []]);
    await names.refresh();
    expect(names.names).to.deep.equal(['A', 'B_2', 'exportG', 'H']);
    const example = join(project.folder, '.env.example');
    expect(names.findLocations('A')).to.deep.equal([
      { file: example, line: 1, start: 0, end: 1 },
      { file: example, line: 6, start: 0, end: 1 },
      { file: join(project.folder, '.env'), line: 0, start: 0, end: 1 },
    ]);
    expect(names.findLocations('B_2')).to.deep.equal([{ file: example, line: 2, start: 9, end: 12 }]);
    await project.write('.env.example', 'Z=1\n');
    await names.refresh();
    expect(names.names).to.deep.equal(['Z', 'A', 'H']);
    await project.dispose();
    await names.refresh();
    expect(names.names).to.deep.equal([]);
  });
});

describe('language server: addresses of files', () => {
  it('are converted to paths and back', () => {
    expect(toFilePath(toFileUri('/a b/ü#%.json'), false)).to.equal('/a b/ü#%.json');
    expect(toFilePath('file:///C%3A/a/B.json', true)).to.equal('c:\\a\\B.json');
    expect(toFilePath('file:///d:/a.json', true)).to.equal('d:\\a.json');
  });

  it('have no path where they are no files', () => {
    for (const uri of [
      'untitled:Untitled-1',
      'git:/a.json?HEAD',
      'https://a.b/c',
      '',
      'file://host/a',
      'file:///a%2Fb',
    ])
      expect(toFilePath(uri, false), uri).to.equal(null);
  });

  it('are links with escaped text and address', () => {
    expect(formatFileLink('/x/a.json', 'a.json', 3)).to.equal('[a.json:3](<file:///x/a.json#L3>)');
    expect(formatFileLink('/x/a].json', '_a*[b]`<c>\\.json', 1)).to.match(
      /^\[\\_a\\\*\\\[b\\\]\\`\\<c\\>\\\\\.json:1\]\(</,
    );
    expect(formatFileLink('/x', 'a\nb', 1)).to.equal('`a b`');
    expect(formatFileLink('/x', 'a\rb', 1)).to.equal('`a b`');
  });
});

describe('language server: code in Markdown', () => {
  const CASES: readonly (readonly [text: string, code: string])[] = [
    ['a', '`a`'],
    ['', '`  `'],
    ['a`b', '``a`b``'],
    ['`a', '`` `a ``'],
    ['a`', '`` a` ``'],
    ['a``b', '`a``b`'],
    ['a`b``c', '```a`b``c```'],
    ['a \n\t b', '`a b`'],
  ];
  for (const [text, code] of CASES) it(JSON.stringify(text), () => expect(toCodeSpan(text)).to.equal(code));

  it('has longer fences than the text', () => {
    expect(toCodeBlock('a', 'sql')).to.equal('```sql\na\n```');
    expect(toCodeBlock('a ``` b', '')).to.equal('````\na ``` b\n````');
    expect(toCodeBlock('`````', 'x').split('\n')[0]).to.equal('``````x');
  });

  it('is text of a JSON string without its quotes', () => expect(escapeJsonText('a"\\\n')).to.equal('a\\"\\\\\\n'));
});

describe('language server: descriptions of rules', () => {
  const registry = createTrialRegistry();
  const CASES: readonly (readonly [rule: Json, text: string, markdown: string])[] = [
    [
      { type: 'EMAIL', max_length: 320, optional: true },
      'EMAIL, max_length 320, optional',
      '`EMAIL`, max length `320`, optional',
    ],
    [{ optional: false, type: 'STRING' }, 'STRING', '`STRING`'],
    [{ min: 0, type: 'NUMBER' }, 'NUMBER, min 0', '`NUMBER`, min `0`'],
    [{ type: 'OBJECT', fields: { a: 1 } }, 'OBJECT', '`OBJECT`, fields `{"a":1}`'],
    [{ type: 5, pattern: 'x' }, 'type 5, pattern "x"', 'type `5`, pattern `x`'],
    [{ default: null }, 'default null', 'default `null`'],
    [{}, '', ''],
    ['text', '', ''],
    [[1], '', ''],
  ];
  for (const [rule, text, markdown] of CASES) {
    it(`${JSON.stringify(rule)}: ${text || 'nothing'}`, () => {
      expect(ruleText(registry, rule)).to.equal(text);
      expect(ruleMarkdown(registry, rule)).to.equal(markdown);
    });
  }

  it('cut values of more than sixty characters', () => {
    expect(ruleCells(registry, { pattern: 'x'.repeat(60) })[1]).to.equal(`pattern \`${'x'.repeat(60)}\``);
    expect(ruleCells(registry, { pattern: 'x'.repeat(61) })[1]).to.equal(`pattern \`${'x'.repeat(60)}…\``);
  });
});

describe('language server: places in document queries', () => {
  const members = {
    start: 'query',
    places: {
      query: { words: { $and: 'All.', $or: 'Any.' }, behind: { $and: 'list' }, fields: 'value' },
      list: { made: 'query' },
    },
  } as unknown as MemberNames;

  it('are determined by the name before them', () => {
    expect(['$and', '$or', 'age', 'toString'].map((key) => resolveNextPlace(members, 'query', key))).to.deep.equal([
      ...['list', '', 'value', 'value'],
    ]);
    expect([resolveNextPlace(members, 'list', 'x'), resolveNextPlace(members, 'none', 'x')]).to.deep.equal([
      'query',
      '',
    ]);
  });

  it('have strings that are fields, or paths after one dollar sign', () => {
    expect([pathIn('field', 'a.b'), pathIn('field', '$a')]).to.deep.equal(['a.b', '$a']);
    expect(['$a.b', 'a', '$', '$$ROOT', 'x$a'].map((text) => pathIn('path', text))).to.deep.equal([
      'a.b',
      null,
      null,
      null,
      null,
    ]);
    expect(pathIn(undefined, '$a')).to.equal(null);
  });
});
