/**
 * Checks a supposed text of one file before it is written. Reads the file, the files that it names and some others, so that a trial
 * costs the same in a large project; has an analyser of its own, so that it discards nothing.
 */
import type { Problem } from '../contract/problem.js';
import type { Analyser, AnalyseOptions, SourceFile } from '../language/analysis/analyse.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { Config } from '../language/analysis/config.js';
import type { StatementRejections } from '../language/analysis/checks/rejections.js';
import { memoize } from '../language/analysis/memoize.js';
import { listAliases, mapModelsByAlias } from '../language/analysis/tables.js';
import { createAnalyserCache } from './analyser-cache.js';
import type { LoadedRegistry } from './registry-source.js';

/** With this many files or fewer, all take part. */
const FEW = 40;
/** Characters of the texts with problems that are cached. */
const MOST_KEPT = 2_000_000;

export interface Trials {
  /** Errors and warnings of this text, and of files around it, that none of the `before` texts has. */
  findNew(text: string, before: readonly string[]): readonly Problem[];
  /** Those of the definitions under another config, and under none of the `before` ones. */
  findUnder(config: Config | null, before: readonly { readonly config: Config | null }[]): readonly Problem[];
  /** `refusals`: findings of a database for statements of the analysis without this text. */
  analyse(text: string, refusals: StatementRejections): Analysis;
}

export interface TrialSource {
  readonly plugins: LoadedRegistry;
  readonly files: readonly SourceFile[];
  /** The analysis that says which file defines what. */
  readonly analysis: Analysis;
  readonly options: AnalyseOptions;
}

/** For one file, and one state of the others. `analyser`: of earlier trials. No closure holds the analysis, which may be an old one. */
function createTrials(file: string, { files, analysis, options }: TrialSource, analyser: Analyser): Trials {
  const kept = new Map<string, readonly Problem[]>();
  /** By the texts before, then by the text. */
  const answers = new Map<string, Map<string, readonly Problem[]>>();
  let size = 0;
  const byName = new Map(files.map((file) => [file.file, file]));
  const isSmall = files.length <= FEW;
  let under: { readonly config: Config; readonly known: ReadonlySet<string> } | null = null;
  const owners = isSmall ? new Map<string, ReadonlySet<string>>() : mapOwners(analysis);
  const users = isSmall ? [] : listUsers(analysis, file);

  function listAround(texts: readonly string[]): ReadonlySet<string> {
    if (isSmall) return new Set(byName.keys());
    const around = new Set(users);
    for (const text of texts)
      for (const word of listWords(text)) for (const owner of owners.get(word) ?? []) around.add(owner);
    for (const name of byName.keys()) {
      if (around.size >= FEW) break;
      around.add(name);
    }
    return around;
  }

  function check(text: string, around: ReadonlySet<string>): readonly Problem[] {
    const key = `${isSmall ? '' : [...around].sort().join()}\n${text}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const found = filterSevere(analyseAround(text, around, options).problems);
    size += key.length + text.length;
    if (size > MOST_KEPT) {
      kept.clear();
      answers.clear();
      size = key.length;
    }
    kept.set(key, found);
    return found;
  }

  function analyseAround(text: string, around: ReadonlySet<string>, own: AnalyseOptions): Analysis {
    const others = [...around].flatMap((name) => (name === file ? [] : (byName.get(name) ?? [])));
    return analyser.analyseAll([...others, { file, text }], own);
  }

  function compareTexts(text: string, before: readonly string[]): readonly Problem[] {
    const around = listAround([text, ...before]);
    const known = new Set(before.flatMap((one) => check(one, around).map(formatKey)));
    return check(text, around).filter((problem) => !known.has(formatKey(problem)));
  }

  return {
    analyse: (text, refusals) => analyseAround(text, listAround([text]), { ...options, refusals }),
    findUnder(given, before) {
      const [sound] = before;
      if (given === null || !sound?.config) return [];
      const check = (own: Config): readonly Problem[] =>
        filterSevere(analyser.analyseAll([...byName.values()].slice(0, FEW), { ...options, given: own }).problems);
      if (under?.config !== sound.config)
        under = { config: sound.config, known: new Set(check(sound.config).map(formatKey)) };
      const { known } = under;
      return check(given).filter((problem) => !known.has(formatKey(problem)));
    },
    findNew(text, before) {
      const key = before.join('\n');
      const known = answers.get(key)?.get(text);
      if (known !== undefined) return known;
      const found = compareTexts(text, before);
      const all = answers.get(key) ?? new Map<string, readonly Problem[]>();
      answers.set(key, all.set(text, found));
      return found;
    },
  };
}

const filterSevere = (problems: readonly Problem[]): Problem[] =>
  problems.filter(({ severity }) => severity === 'error' || severity === 'warning');

const formatKey = ({ file, code, message }: Problem): string => `${file}\n${code}\n${message}`;

/** Of the models of a file: resources, and tests with rows. */
function listUsers({ definitions, tests, resources }: Analysis, file: string): string[] {
  const own = new Set(
    definitions.flatMap(({ sort, name, doc }) => (sort === 'model' && doc.file === file ? [name] : [])),
  );
  if (own.size === 0) return [];
  const names = [...own].flatMap(listAliases).map((alias) => `"${alias}"`);
  const tested = tests.filter(({ doc }) => names.some((name) => doc.text.includes(name)));
  const used = resources.filter(({ actions }) => actions.some(({ models }) => models.some((model) => own.has(model))));
  return [...used.slice(0, FEW).map(({ definition }) => definition), ...tested.slice(0, FEW)].map(
    ({ doc }) => doc.file,
  );
}

/** The trials of a project, and the texts that its open files had when they were last sound. */
export function createTextTrials(): {
  /** `name`: the only file with another text. */
  discardTrials(name?: string): void;
  recordSound(files: ReadonlyMap<string, SourceFile>, problems: readonly Problem[]): void;
  getSoundText(name: string): string | null;
  /** `file`: as problems name it. */
  getTrials(name: string, file: string, source: () => TrialSource): Trials;
} {
  const sound = new Map<string, string>();
  const findAnalyser = createAnalyserCache();
  let current: { readonly name: string; readonly trials: Trials } | null = null;

  return {
    discardTrials(name) {
      if (current?.name !== name) current = null;
    },
    recordSound(files, problems) {
      const invalid = new Set(problems.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])));
      for (const [name, { file, text }] of files) if (!invalid.has(file)) sound.set(name, text);
    },
    getSoundText: (name) => sound.get(name) ?? null,
    getTrials(name, file, source) {
      if (current?.name !== name) {
        const given = source();
        current = { name, trials: createTrials(file, given, findAnalyser(given.plugins)) };
      }
      return current.trials;
    },
  };
}

/** Files of each resource id, path and spelling of a model. */
const mapOwners = memoize(({ definitions, resources }: Analysis): ReadonlyMap<string, ReadonlySet<string>> => {
  const owners = new Map<string, Set<string>>();
  const add = (name: string, file: string): void => {
    const all = owners.get(name);
    if (all === undefined) owners.set(name, new Set([file]));
    else all.add(file);
  };
  for (const { id, path, definition } of resources) {
    add(id, definition.doc.file);
    add(path, definition.doc.file);
  }
  const models = definitions.filter(({ sort }) => sort === 'model');
  const files = new Map(models.map(({ name, doc }) => [name, doc.file]));
  for (const [alias, name] of mapModelsByAlias([...files.keys()])) add(alias, files.get(name) ?? '');
  return owners;
});

const listWords = (text: string): Set<string> => new Set(text.match(/"[^"\n]*"|\w+/g)?.flatMap(splitWord));

const splitWord = (word: string): string[] =>
  word.startsWith('"') ? [word.slice(1, -1), ...(word.toLowerCase().match(/\w+/g) ?? [])] : [word.toLowerCase()];
