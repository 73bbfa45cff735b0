/**
 * The project as tests run it: stores are in this process, secrets that `.env` lacks are generated, and nothing
 * outside is called.
 */
import { dirname, resolve } from 'node:path';
import type { JsonObject } from '../../contract/json.js';
import { loadProject } from '../../plugins/distribution.js';
import type { Project } from '../../language/project/project.js';
import type { Config, ConfiguredPlugin } from '../../language/analysis/config.js';
import { findPrimary } from '../../language/analysis/stores.js';
import type { Environment } from '../../language/project/environment.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import { createMissingVariables } from '../env-file.js';
import type { Terminal } from '../terminal.js';
import type { TestDatabases } from './databases.js';

export interface TestSettings {
  readonly config: string | undefined;
  /** A temporary folder for files. */
  readonly folder: string;
  /** Variables of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null: every store is replaced by one in this process. */
  readonly databases: TestDatabases | null;
}

export interface TestProject {
  readonly project: Project;
  /** Values that no report shows. */
  readonly secrets: readonly string[];
  /** Why the configured stores cannot be replaced; null: they can. */
  readonly refusal: string | null;
}

export async function loadTestProject(terminal: Terminal, settings: TestSettings): Promise<TestProject> {
  const { cwd, env } = terminal;
  const { config: file, folder, environment, databases } = settings;
  const root = dirname(resolve(cwd, file ?? CONFIG_NAME));
  const generated = await createMissingVariables(root, env);
  const variables: Environment = { ...generated, ...env, ...environment, LINTEL_TEST_FOLDER: folder };
  const project = await loadProject(cwd, file, variables);
  const { config } = project;
  const secrets = Object.entries(project.env).flatMap(([name, value = '']) =>
    Object.hasOwn(env, name) || Object.hasOwn(environment, name) || value.length < 8 ? [] : [value],
  );
  const primaries = withoutReplicas(config?.chosen ?? [], project);
  const given = databases === null ? null : await databases.replaceAll(primaries, project);
  const chosen = given ?? primaries;
  const isReplaced = (one: ConfiguredPlugin): boolean => given === null || primaries.includes(one);
  return {
    project: { ...project, tests: true, config: config && adjustConfig({ ...config, chosen }, project, isReplaced) },
    secrets,
    refusal: config && findRefusal(chosen.filter(isReplaced), project),
  };
}

/** A replica is its primary here: it would not receive rows in time, or at all. */
function withoutReplicas(chosen: readonly ConfiguredPlugin[], { registry }: Project): readonly ConfiguredPlugin[] {
  const aliases = new Map<string, string[]>();
  const primaries = chosen.filter((one) => {
    const primary = findPrimary(registry, one);
    if (primary === undefined) return true;
    const key = `${one.kind}/${primary}`;
    aliases.set(key, [...(aliases.get(key) ?? []), one.instance]);
    return false;
  });
  return primaries.map((one) => {
    const names = aliases.get(`${one.kind}/${one.instance}`);
    return names === undefined ? one : { ...one, aliases: names };
  });
}

type IsReplaced = (one: ConfiguredPlugin) => boolean;

const adjustConfig = (config: Config, project: Project, isReplaced: IsReplaced): Config => ({
  ...config,
  migrate: true,
  chosen: config.chosen.flatMap((one) => (isReplaced(one) ? replaceStore(one, project) : [one])),
  http: { ...config.http, port: 0, host: '127.0.0.1', hosts: [...config.http.hosts, '127.0.0.1'] },
});

/** Statements are written for one syntax. */
function findRefusal(chosen: readonly ConfiguredPlugin[], { registry }: Project): string | null {
  const getSyntax = (kind: string, name: string | undefined) =>
    name === undefined ? undefined : registry.plugin(kind, name)?.facts?.syntax;
  const other = chosen.find(({ kind, name, onDemand: spare }) => {
    const syntax = getSyntax(kind, registry.kind(kind)?.config?.tested?.use);
    return spare !== true && syntax !== undefined && getSyntax(kind, name) !== syntax;
  });
  if (other === undefined) return null;
  return `"${other.instance}" uses ${other.name}, and its statements cannot run on the embedded database of \`lintel test\`; \`--database\` runs them on its server.`;
}

function replaceStore(chosen: ConfiguredPlugin, { registry }: Project): ConfiguredPlugin[] {
  const tested = registry.kind(chosen.kind)?.config?.tested;
  if (tested === undefined) return [chosen];
  if (tested === null) return [];
  const { use, ...options }: JsonObject & { readonly use: string } = tested;
  return [{ ...chosen, name: use, options }];
}
