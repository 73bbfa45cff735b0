/**
 * Definitions while they are typed, or from an attacker: valid texts with parts cut out, swapped, doubled or replaced.
 * The front end always returns, with problems that have a location and a code.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyseFiles, createAnalyser, type SourceFile } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import type { FileRange, Problem } from '../../../contract/problem.js';
import { createEnvFacts } from '../../../language/project/environment.js';
import {
  listCaseNames,
  CONFIG as CONFIG_FILE,
  FIXTURE_ENV,
  readFiles,
  DEFINITIONS,
  SQL,
  createTrialRegistry,
} from '../../support/fixtures.js';
import { ROOT, SAMPLE_ENV } from '../../support/project.js';
import { fc } from '../../support/properties.js';
import { countRuns } from '../../support/sample.js';

const registry = createTrialRegistry();
const ENV = new Map([...FIXTURE_ENV, ...createEnvFacts(SAMPLE_ENV)]);

/** Valid sets: those of the fixtures and the sample definitions. */
const valid: readonly (readonly SourceFile[])[] = [
  ...listCaseNames()
    .filter((name) => name.startsWith('sound-'))
    .map((name) => readFiles(join(DEFINITIONS, name)).filter(({ file }) => file !== CONFIG_FILE)),
  ['models', 'resources'].flatMap((folder) =>
    readdirSync(join(ROOT, 'definitions', folder)).map((file) => ({
      file,
      text: readFileSync(join(ROOT, 'definitions', folder, file), 'utf8'),
    })),
  ),
];
const CONFIG =
  '{ "http": { "port": 1, "methods": ["GET"] }, "connections": { "main": { "use": "postgres", "url": "$ENV.EXAMPLE_KEY" } }, "envelope": "bare" }';

/** JSON, SQL and accessors cut into the pieces that a person would delete or move. */
const splitTokens = (text: string): string[] =>
  text.match(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\$[A-Z]+|[\w.]+|\s+|[^\w\s]/g) ?? [];

const replacement = fc.constantFrom(
  'null',
  '{}',
  '[]',
  '""',
  '"x"',
  '0',
  '-1',
  '1e999',
  'true',
  '"$"',
  '"$PAYLOAD"',
  '"$ENV.X"',
  '"$GENERATOR."',
  '"self"',
  '"__proto__"',
  '"constructor"',
  '{ "__proto__": { "type": "STRING" } }',
  '"toString"',
  '[[]]',
  '{"a":',
  ',',
  ':',
  '}',
  ']',
  '"',
  '\\u',
  '/*',
  '//',
  '\ud800',
  '\u0000',
  '🙂',
  '"SELECT $1; --"',
  '"SELECT \'"',
  '"$1"',
  '"WITH x AS (SELECT 1 AS a) SELECT x.b FROM x JOIN users USING (id) ORDER BY nothing"',
  '"INSERT INTO users (emial, \\"🙂\\") VALUES ($1) ON CONFLICT (x) DO UPDATE SET y = excluded.z RETURNING *"',
  '"SELECT é FRM x WHERE a = :id OR b = @c"',
  '"${name}"',
  '"{{ a.b }}"',
  '"action_1.id"',
  '"$BODY.id"',
  '{ "action": 1 }',
  '"cacheable"',
  '{ "type": "constructor" }',
  '"hasOwnProperty"',
  '[null]',
  '1.5',
  '\ufeff',
  '\r',
);

interface Change {
  readonly at: number;
  readonly how: 'cut' | 'delete' | 'double' | 'swap' | 'replace' | 'insert';
  readonly other: number;
  readonly text: string;
}
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('cut', 'delete', 'double', 'swap', 'replace', 'replace', 'insert'),
  other: fc.nat(),
  text: replacement,
});

function mutate(text: string, changes: readonly Change[]): string {
  const tokens = splitTokens(text);
  for (const { at, how, other, text: words } of changes) {
    if (tokens.length === 0) return words;
    const i = at % tokens.length;
    const j = other % tokens.length;
    const [a = '', b = ''] = [tokens[i], tokens[j]];
    if (how === 'cut') tokens.length = i;
    else if (how === 'delete') tokens.splice(i, 1 + (other % 3));
    else if (how === 'double') tokens.splice(i, 0, a);
    else if (how === 'replace') tokens[i] = words;
    else if (how === 'insert') tokens.splice(i, 0, words);
    else [tokens[i], tokens[j]] = [b, a];
  }
  return tokens.join('');
}

function checkProblems(problems: readonly Problem[], texts: ReadonlyMap<string, string>): void {
  const inFile = ({ file, range: { start, end } }: FileRange): void => {
    const text = texts.get(file);
    if (text === undefined) throw new Error(`no file "${file}"`);
    const lines = text.split(/\r\n|\n|\r/);
    for (const { line, character } of [start, end]) {
      expect(line).to.be.within(0, lines.length - 1);
      // A CR that ends a line may be pointed at.
      expect(character).to.be.within(0, (lines[line]?.length ?? 0) + 2);
    }
    expect(start.line * 1e6 + start.character).to.be.at.most(end.line * 1e6 + end.character);
  };
  for (const problem of problems) {
    expect(registry.codes[problem.code]?.severity).to.equal(problem.severity);
    expect(problem.message).to.match(/\S/);
    inFile(problem);
    problem.related.forEach(inFile);
    if (problem.fix !== undefined) inFile(problem.fix);
  }
}

/** One for each set: an unchanged mutation is not analysed again. */
const analysers = valid.map(() => createAnalyser(registry));
const problemsIn = (which: number, files: readonly SourceFile[]): readonly Problem[] =>
  (analysers[which] ?? createAnalyser(registry)).analyseAll(files, { env: ENV, sql: SQL }).problems;

const toTexts = (files: readonly SourceFile[]): Map<string, string> =>
  new Map(files.map(({ file, text }) => [file, text]));

describe('front end: fuzz', function () {
  this.timeout(600_000);
  const numRuns = countRuns('edits', 120, 1500);

  it('starts from valid sets', () => {
    expect(valid.length).to.be.at.least(4);
    for (const files of valid) {
      const { problems } = analyseFiles(files, registry, { env: ENV, sql: SQL });
      expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    }
    expect(analyseConfig('c', CONFIG, registry, ENV).problems).to.deep.equal([]);
  });

  it('analyses definitions with arbitrary replaced parts', () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.nat(), fc.nat(), changes, (which, file, list) => {
        const set = which % valid.length;
        const files = valid[set] ?? [];
        const mutated = files.map((source, i) =>
          i === file % files.length ? { ...source, text: mutate(source.text, list) } : source,
        );
        checkProblems(problemsIn(set, mutated), toTexts(mutated));
      }),
      { numRuns },
    );
  });

  it('analyses a config with arbitrary replaced parts', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (list) => {
        const text = mutate(CONFIG, list);
        checkProblems(analyseConfig('c', text, registry, ENV).problems, new Map([['c', text]]));
      }),
      { numRuns },
    );
  });

  it('analyses a file at every keystroke', () => {
    // All files of all sets, each as likely as it is long: another part of them in every run.
    const places = valid.flatMap((files, set) => files.map(({ text }, index) => ({ set, files, index, text })));
    const keystroke = fc.oneof(
      ...places.map((place) => ({
        weight: Math.max(1, place.text.length),
        arbitrary: fc.nat(place.text.length).map((length) => ({ ...place, length })),
      })),
    );
    fc.assert(
      fc.property(keystroke, ({ set, files, index, text, length }) => {
        const typed = files.map((source, i) => (i === index ? { ...source, text: text.slice(0, length) } : source));
        checkProblems(problemsIn(set, typed), toTexts(typed));
      }),
      // The rest of the file after the key is parsed again, so each is several times as expensive as the others.
      { numRuns: countRuns('edits', 40, 500) },
    );
  });

  it('analyses any JSON under any name', () => {
    const name = fc.constantFrom('a.json', '_a.json', '_.model.json', 'x/_user.jsonc', '.json', '');
    const word = fc.constantFrom(
      'id',
      'resource',
      'actionables',
      'mode',
      'QUERY',
      'RETURN',
      'sql_query',
      'query',
      'parameters',
      '_user',
      'type',
      'String',
      'depends_on',
      'value',
      '__proto__',
      'constructor',
      '$PAYLOAD.a',
      'self',
      'resource_id',
      'action_ids',
      'payload_validation',
      'field',
      'foreign_key',
      'of',
      'key',
      'returnables',
      'trial',
      'count',
    );
    const json = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 6 }, word, fc.integer(), fc.constant(null), fc.boolean(), tie('list'), tie('record')),
      list: fc.array(tie('node'), { maxLength: 4 }),
      record: fc.dictionary(word, tie('node'), { maxKeys: 6, noNullPrototype: false }),
    })).node;
    fc.assert(
      fc.property(name, json, (file, value) => {
        const files = [{ file, text: JSON.stringify(value) }];
        checkProblems(analyseFiles(files, registry, { env: null, sql: SQL }).problems, toTexts(files));
      }),
      { numRuns },
    );
  });

  it('returns the same result twice, and does not modify its input', () => {
    const files = (valid[0] ?? []).map((source) =>
      Object.freeze({ ...source, text: mutate(source.text, [{ at: 40, how: 'replace', other: 0, text: 'null' }]) }),
    );
    const first = analyseFiles(Object.freeze(files), registry, { env: ENV, sql: SQL }).problems;
    expect(first.length).to.be.greaterThan(0);
    expect(analyseFiles(files, registry, { env: ENV, sql: SQL }).problems).to.deep.equal(first);
  });
});
