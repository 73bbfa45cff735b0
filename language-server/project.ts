/**
 * One project as an editor sees it: config, environment names, definition files, with what is typed in open files laid over
 * what is on disk, and the analysis of it all. The same stages as `lintel check`, in the same order; no check of its own.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { analyse, createAnalyser, type Analyser, type SourceFile } from '../kernel/analysis/analyse.js';
import type { EnvFacts } from '../kernel/analysis/checks/accessors.js';
import type { Config } from '../kernel/analysis/config.js';
import type { Analysis } from '../kernel/analysis/model.js';
import type { Registry } from '../kernel/analysis/registry.js';
import type { Problem } from '../kernel/contract/problem.js';
import type { SqlParser } from '../kernel/language/sql-parser.js';
import { findDefinitions, holdStatements, readDefinition } from '../kernel/project/definition-files.js';
import { envFacts, readEnvFile, type Environment } from '../kernel/project/environment.js';
import { CONFIG_NAME } from '../kernel/project/names.js';
import { withoutGuesses } from '../kernel/project/plugin-manifests.js';
import { loadSqlParser } from '../kernel/project/sql-parser.js';
import { createEnvNames, type EnvNames } from './env-names.js';
import { loadRegistry, type LoadedRegistry } from './registry-source.js';
import { createConfigKeeper, readConfig } from './served-config.js';

/** What was found at one moment; never changed afterwards. */
export interface Snapshot {
  readonly analysis: Analysis;
  /** Those of the config first, as `lintel check` tells them. */
  readonly problems: readonly Problem[];
  readonly config: Config;
}

/** What somebody is about to change. */
export interface Supposition {
  /** By absolute name. */
  readonly texts: ReadonlyMap<string, string>;
  /** A file under another name. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** Environment variables by the names that they have now: the names that they would have. */
  readonly env: ReadonlyMap<string, string>;
}

export interface Project {
  /** Absolute. */
  readonly folder: string;
  readonly registry: Registry;
  /** The last one that was sound. */
  readonly config: Config;
  /** Names of environment variables and where they stand. */
  readonly envNames: EnvNames;
  /** Those that are set, with their measures and never their values. */
  readonly env: EnvFacts;
  /** Undefined while no definition holds a statement. */
  readonly sql: SqlParser | undefined;
  /** Name of a file in problems, from its absolute name. */
  shown(name: string): string;
  /** Whether a file is one of the project's definitions, or its config. */
  holds(name: string): boolean;
  isConfig(name: string): boolean;
  /** The text of an open file; null when it is closed again. */
  type(name: string, text: string | null): void;
  /** False while its plugins are known and nothing else: then it is good for a glance at what is open. */
  readonly isRead: boolean;
  /** False while something is still being loaded that more can be told with; what is told before is right, and not all. */
  readonly isPrepared: boolean;
  /** Until what the texts need is loaded: the parser, with the first statement. */
  prepare(): Promise<void>;
  /** Text of a file that is part of the project, as it stands now. */
  textOf(name: string): string | null;
  /** Every file with its text, the config left out. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The newest state of everything; computed when somebody asks. */
  snapshot(): Snapshot;
  /** What a definition file tells by itself: some of its problems, without a look at the others. */
  glance(name: string): readonly Problem[];
  /** The newest state where it has been computed already; null where somebody has typed since. */
  fresh(): Snapshot | null;
  /** The last state that was computed; the present one where there is none. Names of other files stand here at no cost. */
  recent(): Snapshot;
  /** The problems that there would be then; changes nothing. */
  suppose(change: Supposition): readonly Problem[];
  /** Files came, went or changed on disk; the environment and the plugins may have, too. Null reads everything again. */
  refresh(names: readonly string[] | null): Promise<void>;
}

interface State {
  plugins: LoadedRegistry;
  env: EnvFacts;
  /** Their values win over the config's; used for nothing else. */
  variables: Environment;
  sql: SqlParser | undefined;
  /** On disk; by absolute name. */
  disk: Map<string, SourceFile>;
  configText: string | null;
}

/** A project that is being read: of use at a glance before it is of use for everything. */
export interface Opening {
  /** Its plugins are known; nothing else is. */
  readonly known: Promise<Project>;
  readonly read: Promise<Project>;
}

interface Given {
  /** The people of the workspace may be believed. */
  readonly trusted: () => boolean;
  /** Until then only what a glance needs is read. */
  readonly quiet?: Promise<void>;
}

/** Reads everything once. */
export function openProject(folder: string, { trusted, quiet }: Given): Opening {
  const known = knownProject(folder, trusted);
  const read = known.then(async ({ project, readRest }) => {
    await quiet;
    await readRest();
    return project;
  });
  return { known: known.then(({ project }) => project), read };
}

interface Known {
  readonly project: Project;
  readonly readRest: () => Promise<void>;
}

async function knownProject(folder: string, trusted: () => boolean): Promise<Known> {
  const configFile = join(folder, CONFIG_NAME);
  const typed = new Map<string, string>();
  const shown = (name: string): string => relative(folder, name) || CONFIG_NAME;
  const onDisk = (): Promise<string | null> => readFile(configFile, 'utf8').catch(() => null);
  const text = await onDisk();
  const state: State = {
    plugins: await loadRegistry(folder, text, trusted()),
    env: new Map(),
    variables: {},
    sql: undefined,
    disk: new Map(),
    configText: text,
  };
  let isRead = false;
  const envNames = createEnvNames(folder);
  let analyser: { readonly registry: Registry; readonly own: Analyser } | null = null;
  let files: ReadonlyMap<string, SourceFile> | null = null;
  let now: Snapshot | null = null;
  let last: Snapshot | null = null;
  let parser: Promise<void> | null = null;
  const changed = (): void => {
    now = null;
    files = null;
  };

  const configText = (): string | null => typed.get(configFile) ?? state.configText;
  /** While it is being written, definitions are judged by the last one that was sound. */
  const config = createConfigKeeper(() => {
    const { env, variables, plugins } = state;
    return { source: configText(), registry: plugins.registry, env, variables };
  });
  /** Not on disk yet, or not asked for by the config: what is open is looked at all the same. */
  const layered = (): ReadonlyMap<string, SourceFile> => {
    if (files !== null) return files;
    const all = new Map(state.disk);
    for (const [name, text] of typed) if (name !== configFile) all.set(name, { file: shown(name), text });
    files = all;
    return all;
  };

  function compute(): Snapshot {
    const { env, sql } = state;
    const served = config.now();
    const analysis = analyserNow().analyse([...layered().values()], { env, sql, given: served.config });
    const all = certain([...state.plugins.problems, ...served.problems, ...analysis.problems]);
    return { analysis, problems: all, config: served.config };
  }

  /** What it remembers is about the plugins that are known now. */
  function analyserNow(): Analyser {
    const { registry } = state.plugins;
    if (analyser?.registry !== registry) analyser = { registry, own: createAnalyser(registry) };
    return analyser.own;
  }

  /** A plugin that is not known here may know a name that nobody else knows. */
  function certain(problems: readonly Problem[]): readonly Problem[] {
    const { complete, registry } = state.plugins;
    return complete ? problems : withoutGuesses(problems, registry);
  }

  async function readAll(): Promise<void> {
    state.configText = await onDisk();
    state.plugins = await loadRegistry(folder, configText(), trusted());
    await readRest();
  }

  /** All but the plugins and what says which they are. */
  async function readRest(): Promise<void> {
    state.variables = { ...(await readEnvFile(folder)), ...process.env };
    state.env = envFacts(state.variables);
    await envNames.refresh();
    config.forget();
    const names = await findDefinitions({ folder, configFile, patterns: config.now().config.definitions });
    const read = await Promise.all(names.map(async (name) => [name, await readDefinition(name, shown(name))] as const));
    state.disk = new Map(read.flatMap(([name, file]) => (file === null ? [] : [[name, file]])));
    isRead = true;
    changed();
    startParser();
  }

  /** Nobody waits for it who does not need it: the first problems are told meanwhile. */
  function startParser(): void {
    if (!isRead || parser !== null || !holdStatements([...layered().values()], state.plugins.registry)) return;
    parser = loadSqlParser().then((sql) => {
      state.sql = sql;
      changed();
    });
    // Whoever waits is told.
    parser.catch(() => (parser = null));
  }

  async function prepare(): Promise<void> {
    startParser();
    await parser;
  }

  const project: Project = {
    folder,
    get registry() {
      return state.plugins.registry;
    },
    get config() {
      return config.now().config;
    },
    envNames,
    get env() {
      return state.env;
    },
    get sql() {
      return state.sql;
    },
    shown,
    isConfig: (name) => name === configFile,
    holds: (name) => name === configFile || layered().has(name),
    type(name, text) {
      if ((typed.get(name) ?? null) === text) return;
      if (text === null) typed.delete(name);
      else typed.set(name, text);
      if (name === configFile) config.forget();
      changed();
      startParser();
    },
    get isRead() {
      return isRead;
    },
    get isPrepared() {
      return parser === null || state.sql !== undefined;
    },
    prepare,
    textOf: (name) => (name === configFile ? configText() : (layered().get(name)?.text ?? null)),
    get files() {
      return layered();
    },
    snapshot() {
      now ??= compute();
      last = now;
      return now;
    },
    glance(name) {
      const file = layered().get(name);
      return file === undefined ? [] : certain(analyserNow().glance(file));
    },
    fresh: () => now,
    recent: () => last ?? project.snapshot(),
    suppose({ texts, moved, env }) {
      const { sql, variables } = state;
      const { registry } = state.plugins;
      const given = new Map([...state.env].map(([name, fact]) => [env.get(name) ?? name, fact]));
      const source = texts.get(configFile) ?? configText();
      const read = readConfig({ source, registry, env: given, variables });
      const supposed = [...layered()].map(([name, file]) => {
        const text = texts.get(name);
        const as = moved?.from === name ? shown(moved.to) : file.file;
        return { ...file, file: as, ...(text !== undefined && { text }) };
      });
      const options = { env: given, sql, given: read.config ?? project.config };
      return [...read.problems, ...analyse(supposed, registry, options).problems];
    },
    async refresh(names) {
      const only = names ?? [];
      const known = only.length > 0 && only.every((name) => state.disk.has(name));
      if (!known) return readAll();
      for (const name of only) {
        const file = await readDefinition(name, shown(name));
        if (file === null) state.disk.delete(name);
        else state.disk.set(name, file);
      }
      changed();
      startParser();
    },
  };
  return { project, readRest };
}
