/**
 * All mutations of the product's sources, and the selection of some of them: the order depends only on the seed, and a
 * change in one source does not change the selection in others.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { findMutations } from './kinds.js';
import { createMutation, type Mutation } from './mutation.js';
import { isMutated, isSkippedNode } from './scope.js';
import { weighMutation } from './weights.js';

export const FOLDERS = ['contract', 'language', 'kernel', 'cli', 'plugins', 'language-server'];
const MOST_PER_FILE = 3;

export function listSources(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => file.endsWith('.ts') && isMutated(file))
      .sort(),
  );
}

export function listMutations(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, Mutation>();
  const walk = (node: ts.Node): void => {
    if (isSkippedNode(node, file)) return;
    for (const place of findMutations(node, source)) {
      const mutation = createMutation(file, text, place);
      // Two kinds may change a line to the same text.
      const key = mutation === null ? '' : `${mutation.line}:${mutation.after}`;
      if (mutation !== null && !found.has(key)) found.set(key, mutation);
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return [...found.values()];
}

export const listAllMutations = (root: string, files = listSources(root)): Mutation[] =>
  files.flatMap((file) => listMutations(file, readFileSync(join(root, file), 'utf8')));

/** Numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The mutations in the order of use: each has a random key that its weight raises (Efraimidis and Spirakis). A caller
 * that rejects one uses the next. At most three of a file and one of a line.
 */
export function* drawMutations(
  mutations: readonly Mutation[],
  seed: number,
): Generator<Mutation, void, boolean | undefined> {
  const ordered = mutations
    .map((mutation) => ({ mutation, key: Math.log(drawNumber(seed, mutation)) / weighMutation(mutation) }))
    .sort((a, b) => b.key - a.key || a.mutation.id.localeCompare(b.mutation.id));
  const perFile = new Map<string, number>();
  const lines = new Set<string>();
  for (const { mutation } of ordered) {
    const { file, line } = mutation;
    const taken = perFile.get(file) ?? 0;
    if (taken >= MOST_PER_FILE || lines.has(`${file}:${line}`)) continue;
    const isRejected = (yield mutation) === false;
    if (isRejected) continue;
    perFile.set(file, taken + 1);
    lines.add(`${file}:${line}`);
  }
}

function drawNumber(seed: number, { id }: Mutation): number {
  const hash = createHash('sha256').update(`${seed}:${id}`).digest().readUInt32LE(0);
  return Math.max(createRandom(hash)(), Number.MIN_VALUE);
}
