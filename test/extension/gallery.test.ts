/**
 * The gallery: every pattern passes the check without a word, together with the models that it names, under its own path and
 * under another one.
 */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toModelName, readGallery, fillPattern, type Pattern } from '../../extension/src/gallery.js';
import { analyseFiles, type SourceFile } from '../../language/analysis/analyse.js';
import { createBuiltinRegistry, SQL } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const FOLDER = join(ROOT, 'extension', 'gallery');
const gallery = readGallery(FOLDER);
const registry = createBuiltinRegistry();

/** What `lintel check` says of the pattern and the models that are written beside it. */
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

  it('says of a pattern without its models what is missing', () => {
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

  it('gives a pattern another path, and an id that follows from it', () => {
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

  it('knows models by the name of their file', () => {
    expect(toModelName('models/_user.model.json')).to.equal('_user');
    expect(gallery.findModel('_user')?.file).to.equal('models/_user.model.json');
    expect(gallery.findModel('_nothing')).to.equal(undefined);
  });
});
