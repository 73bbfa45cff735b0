/** Mutations that change nothing that can be observed: a list with a reason each, `equivalent.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from './mutation.js';

export interface Equivalent {
  readonly file: string;
  /** The line without and with the change, trimmed. */
  readonly before: string;
  readonly after: string;
  /** One sentence. */
  readonly reason: string;
}

const toKey = ({ file, before, after }: Pick<Mutation, 'file' | 'before' | 'after'>): string =>
  [file, before, after].join('\n');

export const readEquivalents = (root: string): readonly Equivalent[] =>
  JSON.parse(readFileSync(join(root, 'test/mutation/equivalent.json'), 'utf8')) as Equivalent[];

export function createEquivalents(entries: readonly Equivalent[], mutations: readonly Mutation[]) {
  const known = new Set(mutations.map(toKey));
  const keys = new Set(entries.map(toKey));
  return {
    has: (mutation: Mutation): boolean => keys.has(toKey(mutation)),
    /** Entries that are no mutation of the sources any more. */
    stale: entries.filter((entry) => !known.has(toKey(entry))),
  };
}
