/**
 * One missing character of JSON is one problem: each brace, bracket, quote, colon and comma of the sample, the template
 * and the gallery is removed while the file is edited and before its first read. A sample; a deep run reads all of the
 * texts.
 */
import { expect } from 'chai';
import { createAnalyser, type Analyser, type SourceFile } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import { createEnvFacts } from '../../../language/project/environment.js';
import { createDocument } from '../../../language/source/document.js';
import { parseDamagedSource } from '../../../language/source/repair.js';
import { createBuiltinRegistry, SQL } from '../../support/fixtures.js';
import { listOfferSets, OFFER_ENV } from '../../support/offer-sets.js';
import { chooseCases, isDeepRun } from '../../support/sample.js';

const registry = createBuiltinRegistry();
const env = createEnvFacts(OFFER_ENV);
const sets = listOfferSets()
  .filter(({ name }) => ['sample', 'template', 'gallery'].includes(name))
  .map(({ files }) => files.filter(({ file }) => file !== 'lintel.config.json'));

interface Loss {
  readonly files: readonly SourceFile[];
  readonly target: SourceFile;
  readonly offset: number;
}

/** Offsets of braces, brackets, quotes, colons and commas, but not of those inside a string. */
const listStructure = (text: string): number[] =>
  [...text.matchAll(/\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|[{}[\],:]/g)].flatMap(({ 0: token, index }) =>
    token.startsWith('/') ? [] : token.startsWith('"') ? [index, index + token.length - 1] : [index],
  );

const losses = sets.flatMap((files) =>
  files.flatMap((target) => listStructure(target.text).map((offset): Loss => ({ files, target, offset }))),
);

const countProblems = (analyser: Analyser, files: readonly SourceFile[]): number =>
  analyser
    .analyseAll(files, { env, sql: SQL })
    .problems.filter(({ severity }) => severity === 'error' || severity === 'warning').length;

const lose = ({ files, target, offset }: Loss): readonly SourceFile[] =>
  files.map((file) =>
    file === target ? { ...file, text: file.text.slice(0, offset) + file.text.slice(offset + 1) } : file,
  );

const describeLoss = ({ target: { file, text }, offset }: Loss): string =>
  `${file}: ${text.slice(Math.max(0, offset - 20), offset)}«${text[offset] ?? ''}»${text.slice(offset + 1, offset + 20)}`;

describe('missing characters', () => {
  for (const isEdited of [true, false]) {
    it(`are one problem each ${isEdited ? 'while a file is edited' : 'in a file that is read for the first time'}`, () => {
      const name = isEdited ? 'characters lost while editing' : 'characters lost before';
      const cases = chooseCases(name, losses, (isEdited ? 16 : 3) * (isDeepRun ? 50 : 1));
      const analysers = new Map<readonly SourceFile[], Analyser>(
        sets.map((files) => [files, createAnalyser(registry)]),
      );
      const counts = cases.map((loss) => {
        const analyser = (isEdited ? analysers.get(loss.files) : null) ?? createAnalyser(registry);
        const before = countProblems(isEdited ? analyser : createAnalyser(registry), loss.files);
        const count = countProblems(analyser, lose(loss)) - before;
        expect(count, describeLoss(loss)).to.be.at.most(5);
        return count;
      });
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
      expect(mean, 'problems on average').to.be.at.most(2);
      expect(Math.max(...counts)).to.be.above(0);
    });
  }

  if (isDeepRun)
    it('are found in each text, except for some after the slashes of a URL', () => {
      const missed = losses.filter(({ target: { file, text }, offset }) => {
        const doc = createDocument(file, text.slice(0, offset) + text.slice(offset + 1));
        const { faults, insertion } = parseDamagedSource(doc);
        return insertion === null && faults.length > 1;
      });
      expect(missed.length, missed.map(describeLoss).join('\n')).to.be.at.most(losses.length / 1000);
    });

  it('are found before a string that contains quotes, and in the config', () => {
    const text = '{\n  query": "SELECT \\"key\\" FROM visit",\n  "parameters": []\n}';
    const { insertion } = parseDamagedSource(createDocument('', text));
    expect(insertion).to.deep.equal({ offset: text.indexOf('query'), text: '"' });
    const config = '{\n  "http": { "methods": [POST", "GET"] },\n  "websocket": { "enabled": true, "ping": 30 }\n}\n';
    const { problems } = analyseConfig('lintel.config.json', config, registry, env);
    expect(problems.map(({ code }) => code)).to.deep.equal(['SRC_SYNTAX']);
  });

  it('keep the rest of the text in place', () => {
    const text = '{ "a": { "b": "x }, "c": [1, 2] }';
    const { root, faults, insertion } = parseDamagedSource(createDocument('', text));
    expect(insertion).to.deep.equal({ offset: text.indexOf(' }, "c"'), text: '"' });
    expect(faults.map(({ code, params }) => [code, params['what']])).to.deep.equal([
      ['SRC_SYNTAX', 'a quote is missing'],
    ]);
    const c = root?.members.find(({ key }) => key === 'c');
    expect(text.slice(c?.keyStart, c?.value?.end)).to.equal('"c": [1, 2]');
  });
});
