/** Loads a project from disk. Connects to nothing. */
import type { ParserSource, StatementParser } from '../../contract/query-language.js';
import { readFile as readText } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { BootError } from '../../contract/boot-error.js';
import { pluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import { createAnalyser, type AnalyseOptions, type Analyser, type SourceFile } from '../analysis/analyse.js';
import type { QueryRejections, StatementRejections } from '../analysis/checks/rejections.js';
import { checkPackages, checkScratchPackages } from './missing-packages.js';
import { listScratchPlugins, type StatementChecker, type StatementFindings } from './statement-checks.js';
import { listWantedInstances } from './plugin-selection.js';
import { analyseConfig, readPluginLists, type Config } from '../analysis/config.js';
import type { Analysis } from '../analysis/analysis.js';
import { createSingleRun } from '../analysis/single-run.js';
import { createDocument, type Document } from '../source/document.js';
import { loadPackages, type BuiltinPlugins, type Packages } from './packages.js';
import { applyEnvironment, type ConvertedVariable } from './config-environment.js';
import { createDefinitionReader, findDefinitions, hasStatements, readDefinition } from './definition-files.js';
import { checkPatterns } from './definition-patterns.js';
import { createEnvFacts, readEnvFile, type Environment } from './environment.js';
import { createFindingsKey, openFindingsCache, RecordedEnv } from './findings-cache.js';
import { CONFIG_NAME } from './names.js';
import { BUILTIN } from './plugin-folders.js';
import { reportUnreadPlugins, omitGuesses } from './plugin-manifests.js';
import { loadStatementSources } from './scripts.js';

export interface Project extends Packages {
  readonly parsers: ParserSource;
  /** The base of file names in messages. */
  readonly cwd: string;
  readonly folder: string;
  readonly configFile: string;
  readonly env: Environment;
  /** True in `lintel dev`. */
  readonly dev: boolean;
  /** Reuses what a reload did not change. Only in `lintel dev`, because nothing else reloads. */
  readonly analyser: Analyser | null;
  readonly readFile: typeof readDefinition;
  /** What earlier starts have parsed and found is read from files. */
  readonly usesCache?: boolean;
  readonly hasOwnPlugins: boolean;
  /** Test files are read too; they are never served. */
  readonly tests?: boolean;
  /** Texts instead of those on disk, by the name in messages. */
  readonly overlay?: ReadonlyMap<string, string>;
  /** Null when the config is invalid. */
  readonly config: Config | null;
  readonly configUses: ReadonlySet<string>;
  readonly configProblems: readonly Problem[];
  readonly configDocument: Document;
  readonly taken: readonly ConvertedVariable[];
}

/** Returns what databases report of statements. */
export type CheckAnalysis = StatementChecker['check'];

export interface LoadedDefinitions {
  readonly analysis: Analysis;
  readonly problems: readonly Problem[];
  /** The types that a scratch database inferred. */
  readonly descriptions: StatementFindings['descriptions'];
  /** Analyses again, with the errors that databases reported. */
  readonly withRejections: (
    refusals: StatementRejections,
    refusedQueries: QueryRejections,
  ) => Promise<LoadedDefinitions>;
  /** Analyses again, with the views and functions of the stores. */
  readonly withObjects: (stored: readonly string[]) => Promise<LoadedDefinitions>;
}

/**
 * Without `configFile`, a missing config means defaults. `trusted`: code of plugins may run. Throws BootError for
 * errors without a location.
 */
export async function loadProject(
  builtin: BuiltinPlugins,
  cwd: string,
  configFile: string | undefined,
  processEnv: Environment,
  dev = false,
  trusted = true,
): Promise<Project> {
  const file = resolve(cwd, configFile ?? CONFIG_NAME);
  const source = await readConfig(file, configFile !== undefined);
  const env = { ...(await readEnvFile(dirname(file))), ...processEnv };
  return createProject(builtin, { cwd, file, source, env, dev, trusted });
}

export interface ProjectSource {
  readonly cwd: string;
  /** The absolute name of the config. */
  readonly file: string;
  /** Its text; null if there is none. */
  readonly source: string | null;
  /** With the variables of `.env`. */
  readonly env: Environment;
  readonly dev: boolean;
  readonly trusted: boolean;
}

/** Throws BootError as `loadProject` does. */
export async function createProject(
  builtin: BuiltinPlugins,
  { cwd, file, source, env, dev, trusted }: ProjectSource,
): Promise<Project> {
  const folder = dirname(file);
  const { plugins, disable } = readPluginLists(source);
  const packages = await loadPackages(builtin, folder, plugins, disable, trusted);
  const shown = relative(cwd, file) || CONFIG_NAME;
  const taken: ConvertedVariable[] = [];
  const analysed = analyseConfig(shown, source, packages.registry, createEnvFacts(env), dev);
  return {
    ...packages,
    parsers: builtin.parsers,
    hasOwnPlugins: plugins.some((entry) => !entry.startsWith(BUILTIN)),
    cwd,
    folder,
    configFile: file,
    env,
    dev,
    analyser: dev ? createAnalyser(packages.registry) : null,
    readFile: dev ? createDefinitionReader() : readDefinition,
    config: analysed.config === null ? null : applyEnvironment(analysed.config, env, (one) => taken.push(one)),
    configUses: analysed.uses,
    configProblems: [
      ...analysed.problems,
      ...reportUnreadPlugins(packages.registry, shown, source, packages.unrun?.unread ?? new Map()),
    ],
    configDocument: createDocument(shown, source ?? '{}'),
    taken,
  };
}

async function readConfig(file: string, demanded: boolean): Promise<string | null> {
  try {
    return await readText(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !demanded) return null;
    throw new BootError(
      'CFG_UNREADABLE',
      { file, what: code === 'ENOENT' ? 'there is no such file' : String(code) },
      error,
    );
  }
}

export async function loadDefinitions(
  project: Project,
  config: Config,
  checkAnalysis?: CheckAnalysis,
  /** Called before the analysis if a definition has a statement. */
  onStatements?: () => void,
): Promise<LoadedDefinitions> {
  const files = await readDefinitions(project, config);
  const hasTexts = hasStatements(files, project.registry);
  if (hasTexts) onStatements?.();
  const cache = hasTexts && project.usesCache === true ? await project.parsers.openCache(project.folder) : null;
  const findings =
    project.usesCache === true && !project.hasOwnPlugins ? await openFindingsCache(project.folder) : null;
  const options = await createAnalysisOptions(project, config, files, cache ?? undefined);
  const env = new RecordedEnv(options.env ?? []);
  const createSingleAnalyser = (): Analyser =>
    createAnalyser(project.registry, createSingleRun(project.registry.codes));
  let analyser = project.analyser ?? createSingleAnalyser();
  const unmatched = checkPatterns(
    project,
    files.map(({ file }) => file),
  );
  let descriptions: StatementFindings['descriptions'] = new Map();
  const analyseWith = async (
    refusals: StatementRejections,
    refusedQueries: QueryRejections,
    stored: readonly string[] = [],
  ): Promise<LoadedDefinitions> => {
    const asked = { ...options, env, refusals, refusedQueries, stored };
    const isRejected = refusals.size + refusedQueries.size > 0;
    const key = findings === null || isRejected ? null : createFindingsKey(files, project.registry, asked);
    const verified = key === null ? undefined : findings?.find(key, env);
    const analyseTexts = (): Analysis => analyser.analyseAll(files, { ...asked, verified });
    let analysis = analyseTexts();
    if (await cache?.loadMissing()) {
      analyser = createSingleAnalyser();
      analysis = analyseTexts();
    }
    void cache?.writeChanges();
    if (key !== null && verified === undefined) void findings?.store(key, env, analysis);
    const plugins = listWantedInstances(project.registry, [...project.configUses, ...analysis.uses], config.chosen);
    const isUnchecked = checkAnalysis !== undefined && analysis.checkableStatements.length > 0;
    const scratch = isUnchecked ? listScratchPlugins(project.registry, config.chosen).map(pluginId) : [];
    const spare = scratch.filter((id) => !plugins.some((plugin) => plugin.id === id));
    const absent = [...checkPackages(project, plugins), ...checkScratchPackages(project, spare)];
    const all = [...project.configProblems, ...unmatched, ...absent, ...analysis.problems];
    const isUnread = (project.unrun?.unread.size ?? 0) > 0;
    return {
      analysis,
      problems: isUnread ? omitGuesses(all, project.registry) : all,
      descriptions,
      withRejections: (...found) => analyseWith(...found, stored),
      withObjects: (found) => analyseWith(refusals, refusedQueries, found),
    };
  };
  const first = await analyseWith(new Map(), new Map());
  const found = await checkAnalysis?.(first.analysis);
  if (found === undefined) return first;
  ({ descriptions } = found);
  return found.rejections.size === 0 ? { ...first, descriptions } : analyseWith(found.rejections, new Map());
}

export async function createAnalysisOptions(
  { registry, env, folder, parsers }: Project,
  given: Config,
  files: readonly SourceFile[],
  parser?: StatementParser,
): Promise<AnalyseOptions> {
  // The parser also checks names in statements of other syntaxes.
  const sources = hasStatements(files, registry)
    ? await loadStatementSources(folder, parser ?? parsers.loadParser())
    : {};
  // Only these, so that another port has the findings of the last start.
  const { testing, chains, outbound, websocket, chosen, profile } = given;
  return { env: createEnvFacts(env), ...sources, given: { testing, chains, outbound, websocket, chosen, profile } };
}

export async function readDefinitions(project: Project, config: Config): Promise<SourceFile[]> {
  const { cwd, folder, configFile, tests = false, overlay, readFile } = project;
  const names = await findDefinitions({ folder, configFile, patterns: config.definitions, tests });
  const inside = `${cwd}${sep}`;
  const files = names.map((name) =>
    readFile(name, name.startsWith(inside) ? name.slice(inside.length) : relative(cwd, name) || name),
  );
  const there = files.filter((file) => file !== null);
  if (overlay === undefined) return there;
  const added = [...overlay].filter(([file]) => !there.some((one) => one.file === file));
  return [
    ...there.map((one) => ({ ...one, text: overlay.get(one.file) ?? one.text })),
    ...added.map(([file, text]) => ({ file, text })),
  ];
}
