/** Loads a project from disk: config, environment, plugin specs and definitions. It connects to nothing. */
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { BootError } from '../../contract/boot-error.js';
import type { Problem } from '../../contract/problem.js';
import { createAnalyser, type AnalyseOptions, type SourceFile } from '../../language/analysis/analyse.js';
import type { Refusals } from '../../language/analysis/checks/refusals.js';
import { analyseConfig, pluginLists, type Config } from '../../language/analysis/config.js';
import type { Analysis } from '../../language/analysis/model.js';
import { document, type Document } from '../../language/source/document.js';
import { loadPackages, type Packages } from './packages.js';
import { withEnvironment, type Taken } from '../../language/project/config-environment.js';
import { findDefinitions, holdStatements, readDefinition } from '../../language/project/definition-files.js';
import { envFacts, readEnvFile, type Environment } from '../../language/project/environment.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import { unreadPlugins, withoutGuesses } from '../../language/project/plugin-manifests.js';
import { loadSqlParser } from '../../language/project/sql-parser.js';

export interface Project extends Packages {
  /** The base of file names in messages. */
  readonly cwd: string;
  readonly folder: string;
  readonly configFile: string;
  readonly env: Environment;
  /** True in `lintel dev`. */
  readonly dev: boolean;
  /** Null when the config is invalid. */
  readonly config: Config | null;
  readonly configUses: ReadonlySet<string>;
  readonly configProblems: readonly Problem[];
  readonly configDocument: Document;
  readonly taken: readonly Taken[];
}

/** Returns the errors that databases report for statements. */
export type Ask = (analysis: Analysis) => Promise<Refusals>;

export interface LoadedDefinitions {
  readonly analysis: Analysis;
  readonly problems: readonly Problem[];
  /** Analyses again, with the errors that databases reported. */
  readonly refused: (refusals: Refusals) => LoadedDefinitions;
}

/**
 * Without `configFile`, a missing `lintel.config.json` means defaults. `trusted`: code of plugins may run.
 * Throws BootError for errors without a location in a file.
 */
export async function loadProject(
  cwd: string,
  configFile: string | undefined,
  processEnv: Environment,
  dev = false,
  trusted = true,
): Promise<Project> {
  const file = resolve(cwd, configFile ?? CONFIG_NAME);
  const folder = dirname(file);
  const source = await readConfig(file, configFile !== undefined);
  const env = { ...(await readEnvFile(folder)), ...processEnv };
  const { plugins, disable } = pluginLists(source);
  const packages = await loadPackages(folder, plugins, disable, trusted);
  const shown = relative(cwd, file) || CONFIG_NAME;
  const taken: Taken[] = [];
  const analysed = analyseConfig(shown, source, packages.registry, envFacts(env), dev);
  return {
    ...packages,
    cwd,
    folder,
    configFile: file,
    env,
    dev,
    config: analysed.config === null ? null : withEnvironment(analysed.config, env, (one) => taken.push(one)),
    configUses: analysed.uses,
    configProblems: [
      ...analysed.problems,
      ...unreadPlugins(packages.registry, shown, source, packages.unrun?.unread ?? new Map()),
    ],
    configDocument: document(shown, source ?? '{}'),
    taken,
  };
}

async function readConfig(file: string, demanded: boolean): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
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

export async function loadDefinitions(project: Project, config: Config, ask?: Ask): Promise<LoadedDefinitions> {
  const files = await readDefinitions(project, config);
  const options = await analysisOptions(project, config, files);
  const analyser = createAnalyser(project.registry);
  const loaded = (refusals: Refusals): LoadedDefinitions => {
    const analysis = analyser.analyse(files, { ...options, refusals });
    const all = [...project.configProblems, ...analysis.problems];
    const isUnread = (project.unrun?.unread.size ?? 0) > 0;
    return { analysis, problems: isUnread ? withoutGuesses(all, project.registry) : all, refused: loaded };
  };
  const first = loaded(new Map());
  const refusals = (await ask?.(first.analysis)) ?? new Map();
  return refusals.size === 0 ? first : loaded(refusals);
}

export async function analysisOptions(
  { registry, env }: Project,
  given: Config,
  files: readonly SourceFile[],
): Promise<AnalyseOptions> {
  // The parser also checks names in statements of other SQL syntaxes.
  const sql = holdStatements(files, registry) ? await loadSqlParser() : undefined;
  return { env: envFacts(env), sql, given };
}

export async function readDefinitions({ cwd, folder, configFile }: Project, config: Config): Promise<SourceFile[]> {
  const names = await findDefinitions({ folder, configFile, patterns: config.definitions });
  const files = await Promise.all(names.map((name) => readDefinition(name, relative(cwd, name) || name)));
  return files.filter((file) => file !== null);
}
