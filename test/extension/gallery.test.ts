/**
 * The gallery: every pattern passes the check without a word, together with the models that it names, under its own path and
 * under another one.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { toFileName } from '../../extension/src/file-names.js';
import {
  addVariables,
  createValue,
  fillPattern,
  findFreePath,
  readGallery,
  toModelName,
  type Pattern,
} from '../../extension/src/gallery.js';
import { analyseConfig } from '../../language/analysis/config.js';
import { applyEnvironment } from '../../language/project/config-environment.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { analyseFiles, type SourceFile } from '../../language/analysis/analyse.js';
import { createBuiltinRegistry, SQL } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const FOLDER = join(ROOT, 'extension', 'gallery');
const gallery = readGallery(FOLDER);
const registry = createBuiltinRegistry();

/** As `lintel env` writes them. */
const readVariables = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, createValue(value)]),
  );

/** Problems that `lintel check` reports for a pattern and its models. */
function checkPattern(pattern: Pattern, text = gallery.readPattern(pattern)): string[] {
  const needed = (pattern.needs ?? []).flatMap((name): SourceFile[] => {
    const model = gallery.findModel(name);
    return model === undefined ? [] : [{ file: model.file, text: gallery.readPattern(model) }];
  });
  const { problems } = analyseFiles([{ file: pattern.file, text }, ...needed], registry, { env: null, sql: SQL });
  return problems.map(({ file, code, message }) => `${file}: ${code} ${message}`);
}

describe('extension: gallery', () => {
  it('lists every file of its folder, and nothing else', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /\.(model|resource)\.json$/.test(name));
    expect(gallery.patterns.map(({ file }) => file)).to.have.members(files);
    expect(new Set(gallery.patterns.map(({ title }) => title)).size).to.equal(gallery.patterns.length);
  });

  for (const pattern of gallery.patterns) {
    it(`${pattern.title}: passes the check`, () => {
      expect(checkPattern(pattern)).to.deep.equal([]);
      for (const name of pattern.needs ?? []) expect(gallery.findModel(name), name).not.to.equal(undefined);
    });
  }

  it('reports the missing models of a pattern', () => {
    const pattern = gallery.patterns.find(({ needs }) => needs?.includes('_note') === true);
    if (pattern === undefined) throw new Error('no pattern needs a model');
    const { needs: _, ...alone } = pattern;
    const other: SourceFile = { file: '_x.model.json', text: '{ "id": { "type": "Number", "primary_key": true } }' };
    const { problems } = analyseFiles([{ file: alone.file, text: gallery.readPattern(alone) }, other], registry, {
      env: null,
      sql: SQL,
    });
    expect(problems).not.to.deep.equal([]);
  });

  it('gives a pattern another path, and an id derived from it', () => {
    for (const pattern of gallery.patterns.filter(({ path }) => path !== undefined)) {
      const text = fillPattern(gallery.readPattern(pattern), pattern, 'a/b', 'a-b');
      expect(text, pattern.file).to.contain('"id": "a-b"').and.contain('"resource": "a/b"');
      expect(text).not.to.contain(`"resource": "${pattern.path ?? ''}"`);
      if (pattern.path?.includes(':') !== true) expect(checkPattern(pattern, text)).to.deep.equal([]);
    }
    const several = gallery.patterns.find(({ sort, path }) => sort === 'resource' && path === undefined);
    if (several === undefined) throw new Error('no pattern of several resources');
    expect(fillPattern('"id": "x"', several, 'a/b', 'a-b')).to.equal('"id": "x"');
  });

  it('causes no problems in a new project', () => {
    const folder = join(ROOT, 'templates', 'project');
    const example = readFileSync(join(folder, 'dot-env.example'), 'utf8');
    const files = globSync('definitions/**/*.json', { cwd: folder }).map((file) => ({
      file,
      text: readFileSync(join(folder, file), 'utf8'),
    }));
    const { resources } = analyseFiles(files, registry, { env: null, sql: SQL });
    const taken = { ids: resources.map(({ id }) => id), paths: resources.map(({ path }) => path) };
    for (const pattern of gallery.patterns) {
      const path = findFreePath(pattern.path ?? '', taken);
      const text = fillPattern(gallery.readPattern(pattern), pattern, path, toFileName(path), taken);
      const own = (pattern.needs ?? []).flatMap((name) => gallery.findModel(name) ?? []);
      const added = [
        { file: `definitions/${pattern.file}`, text },
        ...own.map((model) => ({ file: `definitions/${model.file}`, text: gallery.readPattern(model) })),
      ];
      const isNew = ({ file }: SourceFile): boolean => pattern.sort === 'resource' || !file.endsWith(pattern.file);
      const known = files.filter(isNew);
      const all = [...known, ...added.filter(({ file }) => !known.some((one) => one.file === file))];
      const variables = readVariables(addVariables(example, pattern.environment ?? {}, createValue) ?? example);
      const given = applyEnvironment(
        analyseConfig('lintel.config.json', null, registry, new Map()).config ?? expect.fail(),
        variables,
      );
      const { problems } = analyseFiles(all, registry, { env: createEnvFacts(variables), sql: SQL, given });
      expect(
        problems.map(({ file, code, message }) => `${file}: ${code} ${message}`),
        pattern.title,
      ).to.deep.equal([]);
    }
  });

  it('adds the variables that an environment file lacks, with fresh values', () => {
    const environment = { A: 'generate:20', B: 'true' };
    expect(addVariables('A=1', environment, (value) => value)).to.equal('A=1\nB=true\n');
    expect(addVariables('A=1\nexport B=2\n', environment, createValue)).to.equal(null);
    const [first, second] = ['', ''].map((text) => addVariables(text, environment, createValue) ?? '');
    expect(first)
      .to.match(/^A=[\w-]{20}\nB=true\n$/)
      .and.not.equal(second);
  });

  it('recognizes models by the name of their file', () => {
    expect(toModelName('models/_user.model.json')).to.equal('_user');
    expect(gallery.findModel('_user')?.file).to.equal('models/_user.model.json');
    expect(gallery.findModel('_nothing')).to.equal(undefined);
  });
});
