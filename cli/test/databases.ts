/** The databases of `lintel test --database`: new ones on the configured servers, dropped at the end. */
import { randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '../../contract/json.js';
import type { TestDatabase } from '../../contract/tests.js';
import type { ConfiguredPlugin } from '../../language/analysis/config.js';
import { attributeFailure } from '../../language/project/plugin-failures.js';
import type { Project } from '../../language/project/project.js';
import { resolveOptions } from '../../language/project/plugin-selection.js';

export interface TestDatabases {
  /** Each plugin that has a server gets a new database; others stay as they are. */
  replaceAll(chosen: readonly ConfiguredPlugin[], project: Project): Promise<readonly ConfiguredPlugin[]>;
  /** A plugin that is no database, such as a queue, has its tables in one of them. */
  hasOtherTables(): boolean;
  /** Throws the first failure, after all were tried. */
  dropAll(): Promise<void>;
}

export function createTestDatabases(): TestDatabases {
  /** Also while they are being created, because a signal may come then. */
  const created: Promise<TestDatabase>[] = [];
  let others = false;
  let dropping: Promise<void> | null = null;

  async function replaceOne(one: ConfiguredPlugin, project: Project, urls: Map<Json, Json>): Promise<ConfiguredPlugin> {
    const { kind, instance, name } = one;
    const id = `${kind}:${name}`;
    const runtime = await project.runtimes.get(id)?.();
    const options = resolveOptions(one.options, project.env) as JsonObject;
    const { url = null } = options;
    if (runtime?.createTestDatabase === undefined) {
      const other = urls.get(url);
      if (other === undefined || runtime?.openTestStore === undefined) return one;
      others = true;
      return { ...one, options: { ...options, url: other } };
    }
    const create = runtime.createTestDatabase.bind(runtime);
    const { codes } = project.registry;
    const creation = attributeFailure(`${id}/${instance}`, 'create a database', codes, () =>
      create({ instance, options }, `lintel_test_${randomBytes(6).toString('hex')}`),
    );
    created.push(creation);
    const database = await creation;
    urls.set(url, database.options['url'] ?? null);
    return { ...one, options: database.options };
  }

  async function dropCreated(): Promise<void> {
    const failures: unknown[] = [];
    while (created.length > 0) {
      const all = await Promise.allSettled(created.splice(0));
      const drops = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.drop()] : []));
      for (const one of await Promise.allSettled(drops)) if (one.status === 'rejected') failures.push(one.reason);
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    async replaceAll(chosen, project) {
      const urls = new Map<Json, Json>();
      const replaced = new Map<ConfiguredPlugin, ConfiguredPlugin>();
      const isDatabase = ({ kind, name }: ConfiguredPlugin): boolean =>
        project.registry.plugin(kind, name)?.facts?.syntax !== undefined;
      for (const one of [...chosen].sort((a, b) => Number(isDatabase(b)) - Number(isDatabase(a))))
        replaced.set(one, await replaceOne(one, project, urls));
      return chosen.map((one) => replaced.get(one) ?? one);
    },
    hasOtherTables: () => others,
    // A signal may come while the end of the run drops them already.
    dropAll: () => (dropping ??= dropCreated().finally(() => (dropping = null))),
  };
}
