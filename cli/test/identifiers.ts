/** Identifiers that a case lists, in place of new ones of their generators. */
import { asText, type Json, type JsonObject } from '../../contract/json.js';
import type { Project } from '../../language/project/project.js';

interface Generator {
  next(): string;
}

export interface TestIdentifiers {
  begin(listed: readonly JsonObject[]): void;
  /** The same project with generators that return listed identifiers first. */
  replaceGenerators(project: Project): Project;
}

export function createTestIdentifiers(): TestIdentifiers {
  const left = new Map<string, string[]>();
  return {
    begin(listed) {
      left.clear();
      for (const { generator, values } of listed) left.set(asText(generator), (values as readonly Json[]).map(asText));
    },
    replaceGenerators(project) {
      const names = new Map(
        [...project.registry.plugins].flatMap(([id, { kind, name, aliases = [] }]) =>
          kind === 'generator' ? [[id, [name, ...aliases]] as const] : [],
        ),
      );
      const takeNext = (id: string): string | undefined =>
        names.get(id)?.flatMap((name) => left.get(name)?.splice(0, 1) ?? [])[0];
      const runtimes = [...project.runtimes].map(([id, load]) => {
        const loadReplaced: typeof load = async () => {
          const runtime = await load();
          const create: typeof runtime.create = (context) => {
            const own = runtime.create?.(context) as Generator;
            return { next: () => takeNext(id) ?? own.next() } satisfies Generator;
          };
          return { ...runtime, create };
        };
        return [id, names.has(id) ? loadReplaced : load] as const;
      });
      return { ...project, runtimes: new Map(runtimes) };
    },
  };
}
