/**
 * A project in the editor: config, environment names and definitions, overlaid with unsaved text, and their analysis. Runs the
 * stages of `lintel check` and no checks of its own.
 */
import type { StatementParser } from '../contract/query-language.js';
import { join, relative } from 'node:path';
import type { Analyser, AnalyseOptions, SourceFile } from '../language/analysis/analyse.js';
import type { StatementRejections } from '../language/analysis/checks/rejections.js';
import type { EnvFacts } from '../language/analysis/checks/accessors.js';
import type { Config } from '../language/analysis/config.js';
import { isSame } from '../language/analysis/lookups.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { SqlText } from '../language/analysis/facts.js';
import type { Registry } from '../language/analysis/registry.js';
import type { Problem } from '../contract/problem.js';
import type { StatementDescription } from '../contract/statement-check.js';
import { hasStatements } from '../language/project/definition-files.js';
import { checkPatterns } from '../language/project/definition-patterns.js';
import { createDocument } from '../language/source/document.js';
import { CONFIG_NAME } from '../language/project/names.js';
import { omitGuesses } from '../language/project/plugin-manifests.js';
import type { ProjectTexts } from '../language/project/scratch-messages.js';
import { createAnalyserCache } from './analyser-cache.js';
import { startTurn } from './defer-until-idle.js';
import type { EnvNames } from './env-names.js';
import { openProjectDisk } from './project-disk.js';
import { createLateFindings, type LateFindings } from './late-findings.js';
import { previewChange, type ProjectChange } from './change-preview.js';
import { createConfigCache } from './effective-config.js';
import { createTextTrials, type TrialSource } from './trial.js';
import { isNewDocument } from './uri.js';

const MANY_FILES = 200;
/** An immutable result of an analysis. */
export interface Snapshot {
  readonly analysis: Analysis;
  /** In the order of `lintel check`: problems of the config first. */
  readonly problems: readonly Problem[];
  readonly config: Config;
}

export interface Project {
  /** Absolute. */
  readonly folder: string;
  readonly registry: Registry;
  /** The last valid config. */
  readonly config: Config;
  readonly envNames: EnvNames;
  /** Facts about the variables that are set (such as length), never their values. */
  readonly env: EnvFacts;
  /** Undefined while no definition contains a statement. */
  readonly sql: StatementParser | undefined;
  /** Name of a file in problems, from its absolute name. */
  toRelativeName(name: string): string;
  /** True for the project's definition files and its config. */
  hasFile(name: string): boolean;
  isConfig(name: string): boolean;
  /** Sets the text of an open file; null when it is closed. */
  setText(name: string, text: string | null): void;
  /** False while only the plugins are loaded; then only `scanFile` is useful. */
  readonly isRead: boolean;
  /** False while the SQL parser is still loading; until then problems are correct but incomplete. */
  readonly isParserReady: boolean;
  /** Resolves when everything that the texts need is loaded. */
  waitForParser(): Promise<void>;
  getText(name: string): string | null;
  /** All definition files with their current text. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The analysis of the current texts; computed on demand. */
  getSnapshot(): Snapshot;
  /** True if a large project has changed elsewhere than in this file since the last analysis. */
  isLate(name: string): boolean;
  /** The last one, if it is late for this file. */
  getAvailableSnapshot(name: string): Snapshot;
  isLarge(): boolean;
  /** True when the snapshot is computed, and time left. `publishFirst`: gets current problems of these files and the last ones of the others. */
  computeInTurn(names: readonly string[], publishFirst: (problems: readonly Problem[]) => void): boolean;
  /** Problems of a single definition file, found without reading the others. */
  checkFile(name: string): readonly Problem[];
  /** The current analysis if it is already computed; otherwise null. */
  getComputedSnapshot(): Snapshot | null;
  /** The last computed analysis, or the current one if there is none. Cheap. */
  getRecentSnapshot(): Snapshot;
  /** Errors and warnings that a supposed text of a file has, here and in files around it, and none of the texts before. */
  findNewProblems(name: string, text: string, before: readonly string[]): readonly Problem[];
  /** Of a supposed text, with the findings of a database. */
  analyseTrial(name: string, text: string, refusals: StatementRejections): Analysis;
  /** The last text of an open file that was analysed without an error in it. */
  getSoundText(name: string): string | null;
  /** The current texts, to check them in another process. */
  getTexts(): ProjectTexts;
  /** Takes what another process found; a change is in the next snapshot. Returns true if the problems may be other ones now. */
  takeFindings(take: (findings: LateFindings) => boolean): boolean;
  /** Null where no database has described the statement as it is written now. */
  describeStatement(statement: SqlText): StatementDescription | null;
  /** Returns the problems after a change, without applying it. */
  previewChange(change: ProjectChange): readonly Problem[];
  /** Rereads what these files are a part of; null rereads everything. False if they are no part of the project. */
  refresh(names: readonly string[] | null): Promise<boolean>;
}

/** A project that is being loaded in two steps. */
export interface ProjectLoad {
  /** Resolves when the plugins are loaded. */
  readonly preloaded: Promise<Project>;
  readonly loaded: Promise<Project>;
}

interface OpenProjectOptions {
  /** True if the workspace is trusted, so its code may run. */
  readonly trusted: () => boolean;
  /** Delays the second step until it resolves. */
  readonly quiet?: Promise<void>;
}

export function openProject(folder: string, { trusted, quiet }: OpenProjectOptions): ProjectLoad {
  const known = preloadProject(folder, trusted);
  const read = known.then(async ({ project, readRest }) => {
    await quiet;
    await readRest();
    return project;
  });
  return { preloaded: known.then(({ project }) => project), loaded: read };
}

async function preloadProject(
  folder: string,
  trusted: () => boolean,
): Promise<{ readonly project: Project; readonly readRest: () => Promise<void> }> {
  const configFile = join(folder, CONFIG_NAME);
  const typed = new Map<string, SourceFile>();
  const toRelativeName = (name: string): string => relative(folder, name) || CONFIG_NAME;
  const state = await openProjectDisk({
    folder,
    configFile,
    trusted,
    toRelativeName,
    getTypedConfig: () => typed.get(configFile)?.text ?? null,
    listPatterns: () => config.get().config.definitions,
    onSettings: () => config.clearAll(),
  });
  let isRead = false;
  const findAnalyser = createAnalyserCache();
  let files: Map<string, SourceFile> | null = null;
  let now: Snapshot | null = null;
  let last: Snapshot | null = null;
  let lastFiles: readonly SourceFile[] = [];
  let isFirstFound = false;
  let parser: Promise<void> | null = null;
  const late = createLateFindings();
  const texts = createTextTrials();
  /** `name`: the only file with another text. */
  const discardAnalysis = (name?: string): void => {
    now = null;
    isFirstFound = false;
    if (name === undefined) files = null;
    else overlayText(name);
    texts.discardTrials(name);
  };
  /** A letter replaces one entry; a list of thousands is not made again for it. */
  const overlayText = (name: string): void => {
    const file = typed.get(name);
    if (name === configFile || files === null) return;
    if (file === undefined || !files.has(name)) files = null;
    else files.set(name, file);
  };

  const getConfigText = (): string | null => typed.get(configFile)?.text ?? state.configText;
  /** While the config is invalid, definitions are checked with the last valid one. */
  const config = createConfigCache(() => {
    const { env, variables, plugins } = state;
    return { source: getConfigText(), registry: plugins.registry, env, variables };
  });
  /** Includes open files that are not on disk or not matched by the config's globs. */
  const getOverlaidFiles = (): ReadonlyMap<string, SourceFile> => {
    if (files !== null) return files;
    const all = new Map(state.files);
    for (const [name, file] of typed) if (name !== configFile) all.set(name, file);
    files = all;
    return all;
  };

  function checkConfigPatterns(): readonly Problem[] {
    const text = getConfigText();
    if (text === null) return [];
    const configDocument = createDocument(CONFIG_NAME, text);
    return checkPatterns({ cwd: folder, folder, configDocument, registry: state.plugins.registry }, [
      ...getOverlaidFiles().keys(),
    ]);
  }

  const listFiles = (): SourceFile[] => [...getOverlaidFiles().values()];
  const createOptions = (): AnalyseOptions => ({
    ...{ env: state.env, ...state.statements, given: config.get().config, refusals: late.refusals },
  });

  function recordSnapshot(analysis: Analysis): Snapshot {
    const unmatched = isRead ? checkConfigPatterns() : [];
    const settings = late.listSettingProblems(analysis, getConfigText());
    const all = removeUncertain([...listOwnProblems(), ...unmatched, ...analysis.problems, ...settings]);
    texts.recordSound(typed, all);
    lastFiles = listFiles();
    last = now = { analysis, problems: all, config: config.get().config };
    return now;
  }

  const listOwnProblems = (): Problem[] => [...state.plugins.problems, ...config.get().problems];
  const getAnalyser = (): Analyser => findAnalyser(state.plugins);

  /** Removes that a new document is empty, and problems about unknown names while some plugins are unknown. */
  function removeUncertain(all: readonly Problem[]): readonly Problem[] {
    const isNew = (name: string): boolean => isNewDocument(name, typed.get(name)?.text);
    const problems = all.filter(({ code, file }) => code !== 'SRC_EMPTY' || !isNew(join(folder, file)));
    return state.plugins.complete ? problems : omitGuesses(problems, state.plugins.registry);
  }

  function noteRead(): void {
    isRead = true;
    discardAnalysis();
    startParser();
  }

  /** Loads the parser in the background, so that the first diagnostics are not delayed. */
  function startParser(): void {
    if (!isRead || parser !== null || !hasStatements([...getOverlaidFiles().values()], state.plugins.registry)) return;
    parser = state.readStatements().then(() => discardAnalysis());
    // Allows a retry; callers that await `waitForParser` receive the error.
    parser.catch(() => (parser = null));
  }

  async function waitForParser(): Promise<void> {
    startParser();
    await parser;
  }

  const createTrialSource = (): TrialSource => ({
    plugins: state.plugins,
    files: [...getOverlaidFiles().values()],
    analysis: project.getRecentSnapshot().analysis,
    options: { env: state.env, ...state.statements, given: project.config },
  });

  const project: Project = {
    folder,
    get registry() {
      return state.plugins.registry;
    },
    get config() {
      return config.get().config;
    },
    envNames: state.envNames,
    get env() {
      return state.env;
    },
    get sql() {
      return state.statements.sql;
    },
    toRelativeName,
    isConfig: (name) => name === configFile,
    hasFile: (name) => name === configFile || getOverlaidFiles().has(name),
    setText(name, text) {
      if ((typed.get(name)?.text ?? null) === text) return;
      if (text === null) typed.delete(name);
      else typed.set(name, { file: toRelativeName(name), text });
      if (name === configFile) config.clear();
      discardAnalysis(name);
      startParser();
    },
    get isRead() {
      return isRead;
    },
    get isParserReady() {
      return parser === null || state.statements.sql !== undefined;
    },
    waitForParser,
    getText: (name) => (name === configFile ? getConfigText() : (getOverlaidFiles().get(name)?.text ?? null)),
    get files() {
      return getOverlaidFiles();
    },
    getSnapshot: () => now ?? recordSnapshot(getAnalyser().analyseAll(listFiles(), createOptions())),
    isLarge: () => lastFiles.length > MANY_FILES,
    isLate(name) {
      const file = getOverlaidFiles().get(name);
      const isUnchanged = file === undefined ? isSame(lastFiles, listFiles()) : lastFiles.includes(file);
      return now === null && last !== null && project.isLarge() && isUnchanged;
    },
    getAvailableSnapshot: (name) => (project.isLate(name) && last ? last : project.getSnapshot()),
    computeInTurn(names, publishFirst) {
      if (now !== null) return true;
      const [analyser, isOver] = [getAnalyser(), startTurn()];
      if (last !== null && !isFirstFound && names.length * 2 < lastFiles.length && analyser.isWide) {
        const first = new Set(names.map(toRelativeName));
        const found = analyser.analyseFirst(first, listFiles(), createOptions(), isOver);
        if (found === null) return false;
        isFirstFound = true;
        const rest = last.problems.filter(({ file }) => !first.has(file) && file !== CONFIG_NAME);
        publishFirst([...removeUncertain([...listOwnProblems(), ...found]), ...rest]);
        return false;
      }
      const found = analyser.analyseInTurn(listFiles(), createOptions(), isOver);
      if (found === null) return false;
      recordSnapshot(found);
      return !isOver();
    },
    checkFile(name) {
      const file = getOverlaidFiles().get(name);
      return file === undefined ? [] : removeUncertain(getAnalyser().scanFile(file));
    },
    findNewProblems(name, text, before) {
      const trials = texts.getTrials(name, toRelativeName(name), createTrialSource);
      if (name !== configFile) return trials.findNew(text, before);
      const [now, ...earlier] = [text, ...before].map((one) => config.read(one));
      const known = new Set(earlier.flatMap(({ problems }) => problems.map(({ message }) => message)));
      const own = now?.problems.filter(({ message }) => !known.has(message)) ?? [];
      const changed = trials.findUnder(now?.config ?? null, earlier);
      return [...own, ...changed];
    },
    analyseTrial: (name, text, refusals) =>
      texts.getTrials(name, toRelativeName(name), createTrialSource).analyse(text, refusals),
    getSoundText: (name) => texts.getSoundText(name),
    getComputedSnapshot: () => now,
    getRecentSnapshot: () => last ?? project.getSnapshot(),
    getTexts: () => ({
      folder,
      configFile,
      source: getConfigText(),
      env: state.variables,
      files: [...getOverlaidFiles().values()],
    }),
    takeFindings(take) {
      const isChanged = take(late);
      if (isChanged) now = null;
      return isChanged;
    },
    describeStatement: (statement) => late.describeStatement(statement),
    previewChange(change) {
      const { env, variables, statements, plugins } = state;
      const now = { files: getOverlaidFiles(), statements, registry: plugins.registry, env, variables };
      const own = { configFile, toRelativeName, source: getConfigText(), config: project.config };
      return previewChange(change, { ...now, ...own });
    },
    async refresh(names) {
      if (names === null) await state.readAll();
      else if (!(await state.readChanged(names))) return false;
      noteRead();
      return true;
    },
  };
  return { project, readRest: () => state.readRest().then(noteRead) };
}
