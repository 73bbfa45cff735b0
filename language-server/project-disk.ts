/**
 * What a project has on disk: its config, plugins, environment, scripts and definition files. A change of a file reads again what
 * the file is a part of.
 */
import { readFile } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { SourceFile } from '../language/analysis/analyse.js';
import type { EnvFacts } from '../language/analysis/checks/accessors.js';
import { findDefinitions, getFixedPart, readDefinition } from '../language/project/definition-files.js';
import { createEnvFacts, readEnvFile, type Environment } from '../language/project/environment.js';
import { loadSqlParser } from '../plugins/queries/sql/parser/load-parser.js';
import { loadStatementSources, SCRIPTS_FOLDER, type StatementSources } from '../language/project/scripts.js';
import { createEnvNames, type EnvNames } from './env-names.js';
import { loadRegistry, type LoadedRegistry } from './registry-source.js';

export interface ProjectDisk {
  readonly plugins: LoadedRegistry;
  readonly env: EnvFacts;
  readonly envNames: EnvNames;
  /** Their values override the config's, and are used for nothing else. */
  readonly variables: Environment;
  readonly statements: StatementSources;
  /** Definition files by absolute name. */
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly configText: string | null;
  /** Reads everything except plugins and the config. */
  readRest(): Promise<void>;
  readAll(): Promise<void>;
  /** Loads the SQL parser with the scripts, which are read again from then on. */
  readStatements(): Promise<void>;
  /** Reads what these files are a part of, and nothing else. False if they are no part of the project. */
  readChanged(names: readonly string[]): Promise<boolean>;
}

export interface DiskPlace {
  readonly folder: string;
  readonly configFile: string;
  readonly trusted: () => boolean;
  readonly toRelativeName: (name: string) => string;
  /** Null where the config is not open. */
  readonly getTypedConfig: () => string | null;
  /** Globs of definitions. */
  readonly listPatterns: () => readonly string[];
  /** Called when something that the config depends on is read. */
  readonly onSettings: () => void;
}

/** Plugins and the config are read. */
export async function openProjectDisk(place: DiskPlace): Promise<ProjectDisk> {
  const { folder, configFile, trusted, toRelativeName, getTypedConfig, listPatterns, onSettings } = place;
  const readConfigText = (): Promise<string | null> => readFile(configFile, 'utf8').catch(() => null);
  const text = await readConfigText();
  const envNames = createEnvNames(folder);
  let plugins = await loadRegistry({ folder, source: text, trusted: trusted(), before: null });
  let configText = text;
  let [env, variables]: [EnvFacts, Environment] = [new Map(), {}];
  let statements: StatementSources = {};
  let areStatementsRead = false;
  let files = new Map<string, SourceFile>();

  async function readPlugins(): Promise<void> {
    plugins = await loadRegistry({
      folder,
      trusted: trusted(),
      before: plugins,
      source: getTypedConfig() ?? configText,
    });
    onSettings();
  }

  async function readEnvironment(): Promise<void> {
    variables = { ...(await readEnvFile(folder)), ...process.env };
    env = createEnvFacts(variables);
    await envNames.refresh();
    onSettings();
  }

  async function readStatements(): Promise<void> {
    statements = await loadStatementSources(folder, loadSqlParser());
    areStatementsRead = true;
  }

  const readOne = (name: string): SourceFile | null => readDefinition(name, toRelativeName(name));

  /** `names`: the files to read; null: all. Others are read only where they are new. */
  async function findFiles(names: readonly string[] | null): Promise<void> {
    const found = await findDefinitions({ folder, configFile, patterns: listPatterns(), tests: true });
    const read = found.map((name) => {
      const known = names === null || names.includes(name) ? undefined : files.get(name);
      return [name, known ?? readOne(name)] as const;
    });
    files = new Map(read.flatMap(([name, file]) => (file === null ? [] : [[name, file]])));
  }

  function readFiles(names: readonly string[]): void {
    for (const name of names) {
      const file = readOne(name);
      if (file === null) files.delete(name);
      else files.set(name, file);
    }
  }

  async function readRest(): Promise<void> {
    await readEnvironment();
    await findFiles(null);
  }

  return {
    get plugins() {
      return plugins;
    },
    get env() {
      return env;
    },
    envNames,
    get variables() {
      return variables;
    },
    get statements() {
      return statements;
    },
    get files() {
      return files;
    },
    get configText() {
      return configText;
    },
    readRest,
    readStatements,
    async readAll() {
      configText = await readConfigText();
      await readPlugins();
      await readRest();
      if (areStatementsRead) await readStatements();
    },
    async readChanged(names) {
      const changes = sortChanges(names, {
        folder,
        configFile,
        files,
        patterns: listPatterns(),
        plugins: plugins.folders,
      });
      const { registry, complete } = plugins;
      if (changes.config) configText = await readConfigText();
      // What an incomplete plugin lacks can be anywhere.
      if (changes.config || changes.plugins || !complete) await readPlugins();
      if (changes.environment) await readEnvironment();
      if (changes.scripts && areStatementsRead) await readStatements();
      if (changes.config || changes.isFound) await findFiles(names);
      else readFiles(changes.definitions);
      return changes.isAny || plugins.registry !== registry;
    },
  };
}

interface ChangedParts {
  readonly config: boolean;
  readonly environment: boolean;
  readonly scripts: boolean;
  readonly plugins: boolean;
  /** Known definition files. */
  readonly definitions: readonly string[];
  /** One of the others may be a new definition file. */
  readonly isFound: boolean;
  readonly isAny: boolean;
}

interface ProjectFiles {
  readonly folder: string;
  readonly configFile: string;
  readonly files: { has(name: string): boolean };
  /** Globs of definitions. */
  readonly patterns: readonly string[];
  /** Absolute folders of the project's own plugins. */
  readonly plugins: readonly string[];
}

const ENVIRONMENT = ['.env', '.env.example'];

function sortChanges(
  names: readonly string[],
  { folder, configFile, files, patterns, plugins }: ProjectFiles,
): ChangedParts {
  const places = patterns.filter((pattern) => !pattern.startsWith('!')).map((pattern) => toPlace(folder, pattern));
  const environment = ENVIRONMENT.map((name) => join(folder, name));
  const scripts = join(folder, SCRIPTS_FOLDER) + sep;
  const definitions = names.filter((name) => files.has(name));
  const changes = {
    config: names.includes(configFile),
    environment: names.some((name) => environment.includes(name)),
    scripts: names.some((name) => name.startsWith(scripts) && name.endsWith('.sql')),
    plugins: names.some((name) => plugins.some((own) => name.startsWith(own + sep))),
    isFound: names.some((name) => !files.has(name) && name !== configFile && places.some((place) => isAt(name, place))),
  };
  const isAny = definitions.length > 0 || Object.values(changes).some((is) => is);
  return { ...changes, definitions, isAny };
}

interface PatternPlace {
  /** With a separator at its end. */
  readonly folder: string;
  readonly end: string;
}

/** The folder before the first wildcard of a pattern, and the letters behind its last one. */
const toPlace = (folder: string, pattern: string): PatternPlace => ({
  folder: resolve(folder, getFixedPart(pattern)) + sep,
  end: /[^*?[\]{}()!+@|,/]*$/.exec(pattern)?.[0] ?? '',
});

/** A name without an extension may be that of a folder. */
const isAt = (name: string, { folder, end }: PatternPlace): boolean =>
  `${name}${sep}`.startsWith(folder) && (name.endsWith(end) || extname(name) === '');
