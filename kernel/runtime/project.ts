/**
 * A project on disk: its config, its environment, its plugins (specs only) and its definition files, analysed. The
 * command line checks exactly this; the kernel serves it. Nothing connects here.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { glob } from 'tinyglobby';
import { BootError } from '../contract/boot-error.js';
import type { EnvFact } from '../contract/plugin.js';
import type { Problem } from '../contract/problem.js';
import type { EnvFacts } from '../analysis/checks/accessors.js';
import { analyse, type SourceFile } from '../analysis/analyse.js';
import { fieldsInLanguage, type Registry } from '../analysis/registry.js';
import type { SqlParser } from '../language/sql-parser.js';
import { analyseConfig, pluginLists, type Config } from '../analysis/config.js';
import { isOrigin, METHODS } from '../analysis/config-schema.js';
import type { Analysis } from '../analysis/model.js';
import { document, type Document } from '../source/document.js';
import { loadPackages, type Packages } from './packages.js';
import { loadSqlParser } from './sql-parser.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Project extends Packages {
  readonly folder: string;
  readonly configFile: string;
  readonly env: Environment;
  /** Null when the config itself is not sound. */
  readonly config: Config | null;
  readonly configUses: ReadonlySet<string>;
  readonly configProblems: readonly Problem[];
  readonly configDocument: Document;
}

export interface LoadedDefinitions {
  readonly analysis: Analysis;
  /** Problems of config and definitions together. */
  readonly problems: readonly Problem[];
}

const CONFIG_NAME = 'lintel.config.json';

/**
 * Reads config and specs. `configFile` undefined: `lintel.config.json` in `cwd` if there is one, defaults otherwise.
 * `dev`: somebody is writing the definitions right now. Throws BootError for what has no place in a file.
 */
export async function loadProject(
  cwd: string,
  configFile: string | undefined,
  processEnv: Environment,
  dev = false,
): Promise<Project> {
  const file = resolve(cwd, configFile ?? CONFIG_NAME);
  const folder = dirname(file);
  const source = await readConfig(file, configFile !== undefined);
  const env = { ...(await readEnvFile(join(folder, '.env'))), ...processEnv };
  const { plugins, disable } = pluginLists(source);
  const packages = await loadPackages(folder, plugins, disable);
  const shown = relative(cwd, file) || CONFIG_NAME;
  const analysed = analyseConfig(shown, source, packages.registry, envFacts(env), dev);
  return {
    ...packages,
    folder,
    configFile: file,
    env,
    config: analysed.config === null ? null : withEnvironment(analysed.config, env),
    configUses: analysed.uses,
    configProblems: analysed.problems,
    configDocument: document(shown, source ?? '{}'),
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

async function readEnvFile(file: string): Promise<Environment> {
  try {
    return parseEnv(await readFile(file, 'utf8'));
  } catch {
    return {};
  }
}

/** A variable that is set to nothing is not set: an empty key or address is never what was meant. No values leave here. */
export const envFacts = (env: Environment): EnvFacts =>
  new Map(
    Object.entries(env).flatMap(([name, value]): [string, EnvFact][] =>
      value === undefined || value === ''
        ? []
        : [[name, { length: [...value].length, bytes: Buffer.byteLength(value), blank: value.trim() === '' }]],
    ),
  );

/** Variables of the environment that win over the file. */
function withEnvironment(config: Config, env: Environment): Config {
  // Set to nothing is not set: an empty HOST would listen on every address.
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const number = (name: string, fallback: number, max: number): number => {
    const value = Number(text(name) ?? fallback);
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    throw new BootError('CFG_VARIABLE', { name, expected: `a whole number up to ${max}` });
  };
  const { http } = config;
  return Object.freeze({
    ...config,
    http: Object.freeze({
      ...http,
      port: number('PORT', http.port, 65_535),
      host: text('HOST') ?? http.host,
      methods: methodsOf(env['ALLOWED_HTTP_METHODS']) ?? http.methods,
      status_path: text('STATUS_ENDPOINT') ?? http.status_path,
      allowed_origins: originsOf(text('ALLOWED_ORIGINS')) ?? http.allowed_origins,
      limits: Object.freeze({
        ...http.limits,
        body: number('MAX_PAYLOAD_LIMIT', http.limits.body, Number.MAX_SAFE_INTEGER),
      }),
    }),
  });
}

function originsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const origins = text.split('|').flatMap((origin) => origin.trim() || []);
  if (origins.every(isOrigin)) return origins;
  throw new BootError('CFG_VARIABLE', { name: 'ALLOWED_ORIGINS', expected: 'origins like https://app.example.com|*' });
}

function methodsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined || text === '') return null;
  const verbs = text.split('|').map((verb) => verb.trim().toUpperCase());
  if (!verbs.every((verb) => METHODS.includes(verb))) {
    throw new BootError('CFG_VARIABLE', { name: 'ALLOWED_HTTP_METHODS', expected: `some of ${METHODS.join('|')}` });
  }
  return verbs;
}

/** Reads and analyses the definition files that the config's globs find. */
export async function loadDefinitions(project: Project, config: Config): Promise<LoadedDefinitions> {
  const files = await readDefinitions(project, config);
  const sql = await sqlParserFor(files, project.registry, config);
  const analysis = analyse(files, project.registry, { env: envFacts(project.env), sql, given: config });
  return { analysis, problems: [...project.configProblems, ...analysis.problems] };
}

/** Loaded only where there are statements, and every store that is chosen reads them the way the parser does. */
async function sqlParserFor(
  files: readonly SourceFile[],
  registry: Registry,
  { chosen }: Config,
): Promise<SqlParser | undefined> {
  const others = chosen.some(({ kind, name }) => {
    if (registry.kind(kind)?.facts['syntax'] === undefined) return false;
    return registry.plugin(kind, name)?.facts?.['syntax'] !== 'postgresql';
  });
  const keys = fieldsInLanguage(registry, 'sql').map((name) => JSON.stringify(name));
  const written = files.some(({ text }) => keys.some((key) => text.includes(key)));
  return written && !others ? loadSqlParser() : undefined;
}

async function readDefinitions({ folder, configFile }: Project, config: Config): Promise<SourceFile[]> {
  const found = await glob([...config.definitions], {
    cwd: folder,
    absolute: true,
    dot: false,
    ignore: ['**/node_modules/**'],
  });
  const names = found.filter((name) => resolve(name) !== configFile).sort();
  const files = await Promise.all(names.map(readDefinition));
  return files.filter((file) => file !== null);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for a file that was there a moment ago: editors replace files by renaming others over them. */
async function readDefinition(name: string): Promise<SourceFile | null> {
  const file = relative(process.cwd(), name) || name;
  let bytes: Buffer;
  try {
    bytes = await readFile(name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? null : { file, text: '', unreadable: code ?? 'it failed' };
  }
  try {
    return { file, text: UTF8.decode(bytes) };
  } catch {
    return { file, text: '', unreadable: 'it is not UTF-8 text' };
  }
}
