/** The parts of the extension that need no editor: reading configs, names, and the form in which problems are printed. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMED_DEFINITION } from '../../extension/src/files.js';
import { readDefinitionGlobs, readJsonc } from '../../extension/src/globs.js';
import { toFileName, validateResourcePath, validateTableName } from '../../extension/src/file-names.js';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { DEFAULTS } from '../../language/analysis/config-schema.js';
import { formatCodeFrame } from '../../language/source/code-frame.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

describe('extension: reading JSON with comments', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['{"a": 1, // one ]\n }', { a: 1 }],
    ['[1, /* , ] */ 2,\n]', [1, 2]],
    ['{"a": "// no comment, ]", "b": "\\"/*",}', { a: '// no comment, ]', b: '"/*' }],
    ['\uFEFF{}', {}],
    ['[1 // at the end {\n, 2]', [1, 2]],
    ['{"a": ', undefined],
    ['', undefined],
    ['{"a": "open', undefined],
    ['/* open', undefined],
  ];
  for (const [text, json] of cases) {
    it(JSON.stringify(text), () => expect(readJsonc(text)).to.deep.equal(json));
  }
});

describe('extension: locations of definitions', () => {
  it('are the globs of the config, without excluding ones', () => {
    const globs = readDefinitionGlobs('{ "definitions": ["./api/**/*.json", "!api/old/**", 5], // x\n }');
    expect(globs).to.deep.equal({ include: ['api/**/*.json'], exclude: ['api/old/**'] });
  });

  it('are the defaults of the kernel if the config names none or is invalid', () => {
    const { definitions } = DEFAULTS;
    for (const text of ['{}', '{ "definitions": ', '[]', 'null', '{ "definitions": "x" }'])
      expect(readDefinitionGlobs(text), text).to.deep.equal({ include: definitions, exclude: [] });
  });

  it('include files named like definitions', () => {
    for (const name of ['a.resource.json', 'x/_user.model.jsonc']) expect(NAMED_DEFINITION.test(name)).to.equal(true);
    for (const name of ['resource.json', 'a.json', 'a.resource.json.bak'])
      expect(NAMED_DEFINITION.test(name)).to.equal(false);
  });
});

describe('extension: names of new files', () => {
  it('name a file after the path', () => {
    expect(toFileName('notes/:note/done')).to.equal('notes-note-done');
    expect(toFileName('Sign Up!')).to.equal('sign-up');
  });

  it('reject an invalid path with a reason', () => {
    for (const path of ['', ' ', '/a', 'a/', 'a//b', 'a b', 'ä', '::'])
      expect(validateResourcePath(path), path).to.be.a('string');
    for (const path of ['a', 'notes/list', 'notes/:id', 'v1.0/x_y-z'])
      expect(validateResourcePath(path), path).to.equal(null);
  });

  it('accept only paths that `lintel check` accepts, with a valid id', () => {
    const registry = createBuiltinRegistry();
    for (const path of [
      'a',
      'notes/list',
      'notes/:id',
      'v1.0/x_y-z',
      '.a',
      '..',
      'a/./b',
      ':1',
      '-',
      '_',
      ':a:b',
      'a:b',
    ]) {
      if (validateResourcePath(path) !== null) continue;
      const actionables = [{ id: 1, mode: 'RETURN', value: {} }];
      const text = JSON.stringify({ id: toFileName(path), resource: path, actionables });
      const { problems } = analyseFiles([{ file: 'a.resource.json', text }], registry, { env: null });
      expect(
        problems.map(({ message }) => message),
        path,
      ).to.deep.equal([]);
    }
  });

  it('accept table names that need no quotes', () => {
    for (const name of ['note', 'user_2']) expect(validateTableName(name)).to.equal(null);
    for (const name of ['', '_note', 'Note', '2x', 'a-b', 'a'.repeat(61)])
      expect(validateTableName(name)).to.be.a('string');
  });
});

describe('extension: problems of a terminal', () => {
  interface Pattern {
    readonly regexp: string;
    readonly [part: string]: number | string;
  }
  const { contributes } = JSON.parse(readFileSync(join(ROOT, 'extension', 'package.json'), 'utf8')) as {
    readonly contributes: {
      readonly problemPatterns: readonly { readonly patterns: readonly Pattern[] }[];
      readonly problemMatchers: readonly {
        readonly background?: { readonly beginsPattern: string; readonly endsPattern: string };
      }[];
    };
  };
  const [first, second] = contributes.problemPatterns[0]?.patterns ?? [];

  it('are read in the format of the kernel', () => {
    const text = '{\n  "id": "a", "resource": "a", "actionabels": []\n}';
    const registry = createBuiltinRegistry();
    const { problems, documents } = analyseFiles([{ file: 'a b/x.resource.json', text }], registry, { env: null });
    expect(problems.length).to.be.greaterThan(0);
    for (const problem of problems) {
      const lines = formatCodeFrame(problem, documents.get(problem.file), (_, plain) => plain).split('\n');
      const [, severity, code, message] = new RegExp(first?.regexp ?? '').exec(lines[0] ?? '') ?? [];
      expect([severity, code, message]).to.deep.equal([problem.severity, problem.code, problem.message]);
      const [, file, line, column] = new RegExp(second?.regexp ?? '').exec(lines[1] ?? '') ?? [];
      const { start } = problem.range;
      expect([file, Number(line), Number(column)]).to.deep.equal([problem.file, start.line + 1, start.character + 1]);
    }
  });

  it('of a watching kernel start and end with lines that it prints', () => {
    const { beginsPattern = '', endsPattern = '' } =
      contributes.problemMatchers.flatMap((m) => m.background ?? [])[0] ?? {};
    const source = readFileSync(join(ROOT, 'cli', 'dev.ts'), 'utf8');
    expect(source).to.contain(beginsPattern.slice(1)).and.contain("'serving'");
    expect(new RegExp(endsPattern).test('serving 3 resource(s): 0 errors')).to.equal(true);
    expect(new RegExp(endsPattern).test('still serving the last valid version of 1 resource(s): 1 error')).to.equal(
      true,
    );
  });
});
