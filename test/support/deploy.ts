/**
 * The files of `deploy/` as data: YAML with its anchors, the instructions of the Dockerfile, substituted variables.
 * Asserts nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './project.js';

export const DEPLOY = join(ROOT, 'deploy');
export const readDeploy = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

/** Whatever YAML holds; tests look at it by path. */
export type Tree = Readonly<Record<string, unknown>>;

export function readYaml(name: string): Tree[] {
  return parseAllDocuments(readDeploy(name), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${name}: ${document.errors.join('; ')}`);
    return document.toJS() as Tree;
  });
}

/** The value at a path such as `spec.template.spec`; undefined if there is none. */
export function getAtPath(tree: unknown, path: string): unknown {
  let found = tree;
  for (const step of path.split('.')) {
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as Tree)[step] : undefined;
  }
  return found;
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Without comments, continued lines put together. */
export const readInstructions = (name: string): Instruction[] =>
  readDeploy(name)
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { word, rest };
    });

/** The variables of `.env.example` with a value each, as an operator would have filled them in. */
export function createExampleEnv(): Record<string, string> {
  const createHex = (length: number): string => '0123456789abcdef'.repeat(length / 16 + 1).slice(0, length);
  const filled = Object.entries(parseEnv(readDeploy('.env.example'))).map(([name, value = '']): [string, string] => {
    const generated = /^generate:(\d+)$/.exec(value)?.[1];
    if (generated !== undefined) return [name, `${createHex(64)}${name}`.slice(-Number(generated))];
    return [name, value === '' ? createHex(64) : value];
  });
  return Object.fromEntries(filled);
}

/** `${NAME:?...}` and `${NAME:-other}` as compose reads them; a variable that is demanded and not there throws. */
export const interpolateEnv = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Z0-9_]+)(:[?-])([^}]*)\}/g, (_, name: string, sign: string, other: string) => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    if (sign === ':-') return other;
    throw new Error(`${name} is not in .env.example`);
  });
