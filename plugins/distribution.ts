/** Loads projects with the plugins of the distribution. */
import type { Kind } from '../contract/kind.js';
import type { PluginId } from '../contract/plugin.js';
import type { Environment } from '../language/project/environment.js';
import { loadPackages as loadAll, type BuiltinPlugins, type Packages } from '../language/project/packages.js';
import {
  createProject as createFrom,
  loadProject as loadFiles,
  type Project,
  type ProjectSource,
} from '../language/project/project.js';
import { kinds } from './index.kinds.js';
import { runtimes } from './index.runtime.js';
import { loadSqlParser } from './queries/sql/parser/load-parser.js';
import { openStatementCache } from './queries/sql/parser/statement-cache.js';
import { specs } from './index.spec.js';

const BUILTIN: BuiltinPlugins = {
  kinds,
  specs,
  runtimes,
  parsers: { loadParser: loadSqlParser, openCache: openStatementCache },
};

export const isBuiltin = (id: PluginId): boolean => Object.hasOwn(runtimes, id);

export const isBuiltinKind = (kind: Kind): boolean => kinds.includes(kind);

export const loadPackages = (
  folder: string,
  plugins: readonly string[],
  disable: readonly string[],
  trusted?: boolean,
): Promise<Packages> => loadAll(BUILTIN, folder, plugins, disable, trusted);

export const createProject = (source: ProjectSource): Promise<Project> => createFrom(BUILTIN, source);

export const loadProject = (
  cwd: string,
  configFile: string | undefined,
  processEnv: Environment,
  dev?: boolean,
  trusted?: boolean,
): Promise<Project> => loadFiles(BUILTIN, cwd, configFile, processEnv, dev, trusted);

/** Writes resources of a table. */
export const loadCrud = (): Promise<typeof import('./index.crud.js')> => import('./index.crud.js');
export type { Crud } from './index.crud.js';
