/** Resolves the views and functions behind statements, so that secrets are followed through their texts. */
import type { StoredObject } from '../../contract/statement-text.js';
import type { QueryLanguage } from '../../contract/query-language.js';
import type { SqlText } from './facts.js';
import { createLazy } from './memoize.js';

export interface UsedObject extends StoredObject {
  readonly language: QueryLanguage;
  /** It is in a store, and no script creates it. */
  readonly unscripted: boolean;
}

export interface IndirectUses {
  readonly objects: readonly UsedObject[];
  readonly models: readonly string[];
}

export const NO_INDIRECT_USES: IndirectUses = { objects: [], models: [] };

export interface StoredObjects {
  /** Scripts may write rows, and change tables. */
  readonly hasScripts: boolean;
  /** Those that the statements use, directly or through others. */
  readonly listUsed: (statements: readonly SqlText[]) => readonly UsedObject[];
}

/** `stored`: the objects of the stores, as statements that create them. */
export function createStoredObjects(
  languages: readonly QueryLanguage[],
  scripts: readonly string[],
  stored: readonly string[] = [],
): StoredObjects {
  const readAll = (texts: readonly string[]): Omit<UsedObject, 'unscripted'>[] =>
    texts.flatMap((text) =>
      languages.flatMap((language) => language.readObjects(text).map((one) => ({ ...one, language }))),
    );
  const getObjects = createLazy(() => {
    const byName = new Map<string, UsedObject[]>();
    const add = (one: UsedObject): void => {
      const key = one.name.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), one]);
    };
    for (const one of readAll(scripts)) add({ ...one, unscripted: false });
    const scripted = new Set(byName.keys());
    for (const one of readAll(stored)) {
      const isScripted = scripted.has(one.name.toLowerCase());
      // A script knows more than an assumption.
      if (!isScripted || !one.isAssumed) add({ ...one, unscripted: !isScripted });
    }
    return byName;
  });
  const find = (names: readonly string[]): readonly UsedObject[] =>
    names.flatMap((name) => getObjects().get(name.toLowerCase()) ?? []);
  return {
    hasScripts: scripts.length > 0,
    listUsed(statements) {
      if ((scripts.length === 0 && stored.length === 0) || statements.length === 0) return [];
      const used = new Set(
        statements.flatMap(({ language, scan }) => find(language.listNames(scan).map(({ name }) => name))),
      );
      // The set grows while it is read.
      for (const { scan, calls } of used)
        for (const inner of find([...scan.tables.map(({ name }) => name), ...calls])) used.add(inner);
      return [...used];
    },
  };
}
