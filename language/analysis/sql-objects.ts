/** Resolves the views and functions behind statements, so that secrets are followed through their texts. */
import { getLexemeName, isName, toLexemes } from '../strings/sql-read.js';
import { ASSUMED, readSqlObjects, type SqlObject } from '../strings/sql-objects.js';
import type { SqlText } from './facts.js';
import { createLazy } from './memoize.js';

export interface UsedObject extends SqlObject {
  /** It is in a store, and no script creates it. */
  readonly unscripted: boolean;
}

export interface IndirectUses {
  readonly objects: readonly UsedObject[];
  readonly models: readonly string[];
}

export const NO_INDIRECT_USES: IndirectUses = { objects: [], models: [] };

export interface SqlObjects {
  /** Those that the statements use, directly or through others. */
  readonly listUsed: (statements: readonly SqlText[]) => readonly UsedObject[];
}

/** `stored`: the objects of the stores, as statements that create them. */
export function createSqlObjects(scripts: readonly string[], stored: readonly string[] = []): SqlObjects {
  const getObjects = createLazy(() => {
    const byName = new Map<string, UsedObject[]>();
    const add = (one: UsedObject): void => {
      const key = one.name.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), one]);
    };
    for (const one of scripts.flatMap(readSqlObjects)) add({ ...one, unscripted: false });
    const scripted = new Set(byName.keys());
    for (const one of stored.flatMap(readSqlObjects)) {
      const isScripted = scripted.has(one.name.toLowerCase());
      // A script knows more than an assumption.
      if (!isScripted || !one.scan.text.includes(ASSUMED)) add({ ...one, unscripted: !isScripted });
    }
    return byName;
  });
  const find = (names: readonly string[]): readonly UsedObject[] =>
    names.flatMap((name) => getObjects().get(name.toLowerCase()) ?? []);
  return {
    listUsed(statements) {
      if ((scripts.length === 0 && stored.length === 0) || statements.length === 0) return [];
      const used = new Set(statements.flatMap(({ scan }) => find(listWords(scan.text, scan.tokens))));
      // The set grows while it is read.
      for (const { scan, calls } of used)
        for (const inner of find([...scan.tables.map(({ name }) => name), ...calls])) used.add(inner);
      return [...used];
    },
  };
}

const listWords = (text: string, tokens: SqlText['scan']['tokens']): string[] =>
  toLexemes(text, tokens).flatMap((word) => (isName(word) ? [getLexemeName(word)] : []));
