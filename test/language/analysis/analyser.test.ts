/**
 * An incremental analyser returns what a new analyser returns, whatever was edited in between: sets of definitions are
 * edited step by step, like authors and attackers do, and both results are compared after each step.
 */
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  analyseFiles,
  createAnalyser,
  type AnalyseOptions,
  type Analyser,
  type SourceFile,
} from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import { ObjectSchema, type AnyObject } from 'yup';
import { pluginId } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { hasErrors } from '../../../contract/problem.js';
import { text } from '../../../contract/index.js';
import { specs } from '../../../plugins/index.spec.js';
import { createEnvFacts } from '../../../language/project/environment.js';
import {
  listCaseNames,
  CONFIG,
  DEFINITIONS,
  FIXTURE_ENV,
  readFiles,
  SQL,
  createTrialRegistry,
} from '../../support/fixtures.js';
import { createSeededRandom, editAt, editField, type Random } from '../../support/random-edits.js';
import { analyseKept, expectSameVerified, toComparable } from '../../support/compared-analyses.js';
import { createManyModelsProject } from '../../support/large-files.js';
import { ROOT, SAMPLE_ENV } from '../../support/project.js';
import { countRuns, runSeed, sampleCases } from '../../support/sample.js';
import { NO_SHARED, skipTest } from '../../support/skip.js';

const registry = createTrialRegistry();
const ENVS = [new Map([...FIXTURE_ENV, ...createEnvFacts(SAMPLE_ENV)]), FIXTURE_ENV, new Map(), null];
/** Steps of one fixture; a larger set is edited more often. */
const STEPS = countRuns('edits', 8, 12);

const filesIn = (folder: string): SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonc?$/.test(name) && !name.includes('lintel.config') && !name.includes('node_modules'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

const sample = filesIn(join(ROOT, 'definitions'));
/** Definitions of other projects, where available. */
const COMPAT = join(ROOT, '..', 'shared', 'compat');
const compat = existsSync(COMPAT)
  ? readdirSync(COMPAT, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, files: filesIn(join(COMPAT, name)) }))
  : [];

/** Valid configs of the fixtures, and none. */
const GIVEN = [
  null,
  ...listCaseNames().flatMap((name) => {
    const config = readFiles(join(DEFINITIONS, name)).find(({ file }) => file === CONFIG);
    const { text = '{}' } = config ?? {};
    return config === undefined ? [] : [analyseConfig(CONFIG, text, registry, FIXTURE_ENV).config];
  }),
];

function optionsFrom(files: readonly SourceFile[], random: Random): AnalyseOptions {
  const config = files.find(({ file }) => file === CONFIG);
  const own = config === undefined ? null : analyseConfig(CONFIG, config.text, registry, FIXTURE_ENV).config;
  const env = random.pick(ENVS, 0.8);
  const given = random.chance(0.75) ? own : random.pick(GIVEN);
  return { env: env && new Map(env), sql: random.chance(0.95) ? SQL : undefined, given: given && { ...given } };
}

function expectSameAnalysis(
  { analyser, random, from = registry }: { analyser: Analyser; random: Random; from?: typeof registry },
  files: readonly SourceFile[],
  options: AnalyseOptions,
  place: string,
) {
  const kept = toComparable(analyseKept(analyser, files, options, random));
  const analysis = analyseFiles(files, from, options);
  const fresh = toComparable(analysis);
  // Chai takes ten times as long to compare two values.
  if (!isDeepStrictEqual(kept, fresh)) expect(kept, place).to.deep.equal(fresh);
  if (!hasErrors(analysis.problems) && compared++ % 8 === 0) expectSameVerified(from, files, options, analysis, place);
  return analysis;
}

let compared = 0;

/** A plugin with one field more, which may be required, or with one less. */
function changeSchema(random: Random): PluginSpec {
  const spec = random.pick(specs.filter(({ schema }) => schema instanceof ObjectSchema));
  const schema = spec.schema as ObjectSchema<AnyObject>;
  const extra = text({ doc: 'A field.' });
  const kind = random.below(3);
  if (kind === 0) return { ...spec, schema: schema.omit([random.pick(Object.keys(schema.fields))]) };
  return { ...spec, schema: schema.shape({ extra_field: kind === 1 ? extra : extra.required() }) };
}

/** Edits inputs of resources: fields of models, one setting of the config, one variable; sometimes a resource. */
function replaySurroundings(name: string, files: readonly SourceFile[], steps: number): void {
  const random = createSeededRandom(`${runSeed} ${name}`);
  const analyser = createAnalyser(registry);
  let [from, changed]: [typeof registry, PluginSpec | null] = [registry, null];
  const isModel = ({ file }: SourceFile): boolean => file.includes('.model.');
  const config = analyseConfig(CONFIG, readFileSync(join(ROOT, CONFIG), 'utf8'), registry, new Map()).config;
  if (config === null) throw new Error('the config of the sample has a problem');
  const sampleEnv: Readonly<Record<string, string>> = SAMPLE_ENV;
  let [now, given, values] = [files, config, sampleEnv];
  for (let step = 0; step < steps; step++) {
    const options = { env: createEnvFacts(values), sql: SQL, given };
    expectSameAnalysis({ analyser, random, from }, now, options, `${name}, step ${step}, ${changed?.name}`);
    const at = random.below(now.length);
    const model = random.pick(now.filter(isModel));
    const variable = random.pick(Object.keys(SAMPLE_ENV));
    const kind = random.below(12);
    if (kind > 9) {
      const next = changeSchema(random);
      const own = random.chance(0.3) ? null : next;
      from = createTrialRegistry(own === null ? [] : [own]);
      analyser.changeSchemas(
        from,
        [changed, own].flatMap((spec) => (spec === null ? [] : [pluginId(spec)])),
      );
      changed = own;
    } else if (kind < 6) {
      const edited = { ...model, text: editField(model.text, random, []) };
      const begun = random.chance(0.3) ? files.find(({ file }) => file === model.file) : undefined;
      now = now.map((source) => (source === model ? (begun ?? edited) : source));
    } else if (kind === 6) now = editAt(now, files, sample, random);
    else if (kind === 7) now = at % 2 === 0 ? now.filter((source) => source !== model || at === 0) : files;
    else if (kind === 8) {
      given = random.pick([
        config,
        { ...config, testing: !config.testing },
        { ...config, profile: config.profile === null ? 'sub0' : null },
        { ...config, websocket: { ...config.websocket, enabled: !config.websocket.enabled } },
        { ...config, chosen: config.chosen.filter((_one, i) => i !== at % config.chosen.length) },
        { ...config, chains: { ...config.chains, depth: 1 } },
      ]);
    } else {
      const own = values[variable] ?? '';
      const value = random.pick(['', 'short', `${own}x`, values['JWT_SECRET_KEY'] ?? '', sampleEnv[variable] ?? '']);
      const others = Object.entries(values).filter(([key]) => key !== variable);
      values = Object.fromEntries(random.chance(0.2) ? others : [...others, [variable, value]]);
    }
    if (!now.some(isModel)) now = files;
  }
}

/** Edits a set step by step, and compares the analyser with a new one after each. */
function replay(name: string, files: readonly SourceFile[], steps: number, others: readonly SourceFile[]): void {
  const random = createSeededRandom(`${runSeed} ${name}`);
  const analyser: Analyser = createAnalyser(registry);
  let now = files;
  for (let step = 0; step < steps; step++) {
    const definitions = now.filter(({ file }) => file !== CONFIG);
    const options = optionsFrom(now, random);
    const scanned = definitions.length > 0 && random.chance(0.5) ? random.pick(definitions) : null;
    // A second file of that name decides about fixes too.
    const isAlone = definitions.filter(({ file }) => file === scanned?.file).length === 1;
    const early = scanned === null ? [] : analyser.scanFile(scanned);
    const place = `${name}, step ${step}`;
    const { problems } = expectSameAnalysis({ analyser, random }, definitions, options, place);
    const all = new Set(problems.map((problem) => JSON.stringify(problem)));
    for (const problem of isAlone ? early : [])
      expect(all.has(JSON.stringify(problem)), `${place}: ${problem.message}`).to.equal(true);
    // Now and then only the environment, or the config, is another.
    if (random.chance(0.8)) now = editAt(now, files, others, random);
  }
}

const defineReader = (table: string): SourceFile => ({
  file: `${table}.json`,
  text: JSON.stringify({
    id: `read-${table}`,
    resource: table,
    actionables: [
      { id: 1, mode: 'QUERY', sql_query: { query: `SELECT email FROM _${table} WHERE id = $1`, parameters: ['id'] } },
    ],
  }),
});

const defineModel = (table: string, fields: object = {}): SourceFile => ({
  file: `_${table}.model.json`,
  text: JSON.stringify({ id: { type: 'String', primary_key: true }, email: { type: 'String' }, ...fields }),
});

describe('incremental analyser', function () {
  this.timeout(600_000);

  it('checks only the statements that depend on an edited model again', () => {
    const parsed: string[] = [];
    const parse: typeof SQL.parse = (text) => {
      parsed.push(text);
      return SQL.parse(text);
    };
    const analyser = createAnalyser(registry);
    const options = { env: new Map(), sql: { ...SQL, parse }, given: null };
    const listParsed = (...models: readonly SourceFile[]): readonly string[] => {
      parsed.splice(0);
      analyser.analyseAll([...models, defineReader('book'), defineReader('shelf')], options);
      return parsed.map((text) => /_\w+/.exec(text)?.[0] ?? text);
    };
    const shelf = defineModel('shelf');
    expect(listParsed(defineModel('book'), shelf)).to.deep.equal(['_book', '_shelf']);
    expect(listParsed(defineModel('book', { note: { type: 'String' } }), shelf)).to.deep.equal(['_book']);
    // No statement binds a value to it.
    expect(listParsed(defineModel('book', { note: { type: 'String', max_length: 9 } }), shelf)).to.deep.equal([]);
    const id = { type: 'Number', primary_key: true };
    expect(listParsed(defineModel('book', { id, note: { type: 'String' } }), shelf)).to.deep.equal(['_book']);
  });

  it('does the same work per keystroke, however many resources and models there are', () => {
    type Work = readonly [name: string, walked: number, parsed: number, checked: number];
    /** Objects that are walked, statements that are parsed and checks of plugins, for an edit of each kind. */
    const countWork = (resources: number): readonly Work[] => {
      const project = createManyModelsProject(resources, resources >> 2);
      let [walked, parsed, checked] = [0, 0, 0];
      const countChecks = (spec: PluginSpec): PluginSpec => {
        const { check } = spec;
        if (check === undefined) return spec;
        return {
          ...spec,
          check: (place) => {
            checked++;
            return check(place);
          },
        };
      };
      const counting: typeof registry = {
        ...registry,
        plugins: new Map([...registry.plugins].map(([id, spec]) => [id, countChecks(spec)])),
        expand: (...given) => {
          walked++;
          return registry.expand(...given);
        },
      };
      const parse: typeof SQL.parse = (text) => {
        parsed++;
        return SQL.parse(text);
      };
      const analyser = createAnalyser(counting);
      const sql = { ...SQL, parse };
      const key = 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6iO4xN9vK7';
      const env = createEnvFacts({ JWT_SECRET_KEY: key });
      const config = analyseConfig(CONFIG, project.files[CONFIG] ?? '', registry, env).config;
      const files = Object.entries(project.files).flatMap(([file, text]) =>
        file.startsWith('definitions/') ? [{ file, text }] : [],
      );
      const analyse = (name: string, options: AnalyseOptions, given = files): Work => {
        [walked, parsed, checked] = [0, 0, 0];
        analyser.analyseAll(given, options);
        return [name, walked, parsed, checked];
      };
      const options = { env, sql, given: config };
      expect(analyse('everything', options)[1], 'walked at first').to.be.above(resources);
      const change = (file: string, from: string, to: string): SourceFile[] =>
        files.map((one) => (one.file === file ? { ...one, text: one.text.replace(from, to) } : one));
      return [
        analyse('a resource', options, change(project.open, '"QUERY"', '"QUERYS"')),
        analyse('a resource as it was', options),
        analyse('a model', options, change(project.model, '"Number"', '"Numbers"')),
        analyse('a model as it was', options),
        analyse('the environment', { ...options, env: new Map([...env, ...createEnvFacts({ OTHER: 'x' })]) }),
        analyse('a longer value that all name', { ...options, env: createEnvFacts({ JWT_SECRET_KEY: `${key}x` }) }),
        analyse('the config', { ...options, given: config && { ...config, testing: !config.testing } }),
      ];
    };
    const few = countWork(24);
    expect(countWork(96)).to.deep.equal(few);
    expect(few.map(([, walked]) => walked > 0)).to.deep.equal([true, true, true, true, false, false, false]);
    expect(few.map(([, , , checked]) => checked > 0)).to.deep.equal([true, true, true, true, false, false, false]);
  });

  for (const name of sampleCases('edits', 'fixtures', listCaseNames(), 30)) {
    it(`reports for ${name} what a new analyser reports, at every step`, () => {
      replay(name, readFiles(join(DEFINITIONS, name)), STEPS, sample);
    });
  }

  it('... for the sample', () => {
    replay('the sample', sample, countRuns('edits', 8, 120), sample);
  });

  it('... for the sample, while models, the config and the environment are edited', () => {
    replaySurroundings('surroundings', sample, countRuns('edits', 8, 300));
  });

  it('... for the sample in one file', () => {
    const isResource = ({ text }: SourceFile): boolean => text.includes('"actionables"');
    const resources = sample.filter(isResource).map(({ text }) => text.trim());
    const models = sample.filter((source) => !isResource(source));
    const files = [...models, { file: 'all.json', text: `[\n${resources.join(',\n')}\n]` }];
    replay('one file', files, countRuns('edits', 20, 120), sample);
  });

  if (compat.length === 0) {
    it('... for definitions of other projects, which are not available here', function () {
      skipTest(this, NO_SHARED);
    });
  }
  for (const { name, files } of compat) {
    it(`... for ${name}`, () => {
      replay(name, files, countRuns('edits', 4, 36), sample);
    });
  }
});
