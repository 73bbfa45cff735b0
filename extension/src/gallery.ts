/** Reads the gallery: `gallery/index.json` lists files that new ones are copied from. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toFileName } from './file-names.js';

export interface Pattern {
  /** Path relative to `gallery/`. */
  readonly file: string;
  readonly sort: 'resource' | 'model';
  readonly title: string;
  readonly description: string;
  /** The path in the pattern's text, replaced in new resources. Absent if the pattern contains several resources. */
  readonly path?: string;
  /** Names of the gallery models that the pattern uses. */
  readonly needs?: readonly string[];
  /** Lines for `.env.example`; `generate:40` stands for fresh random text. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Ids and paths of the project's resources. */
export interface TakenNames {
  readonly ids: readonly string[];
  readonly paths: readonly string[];
}

export interface Gallery {
  readonly patterns: readonly Pattern[];
  readPattern(pattern: Pattern): string;
  /** `name`: e.g. `_user`. */
  findModel(name: string): Pattern | undefined;
}

export function readGallery(folder: string): Gallery {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const patterns = JSON.parse(read('index.json')) as readonly Pattern[];
  return {
    patterns,
    readPattern: ({ file }) => read(file),
    findModel: (name) => patterns.find(({ sort, file }) => sort === 'model' && toModelName(file) === name),
  };
}

/** `models/_user.model.json` → `_user`. */
export const toModelName = (file: string): string => (file.split('/').pop() ?? '').replace(/\.model\.jsonc?$/, '');

const NOTHING_TAKEN: TakenNames = { ids: [], paths: [] };

/** The text under another path and id; every other id and path of it is a free one. */
export function fillPattern(
  text: string,
  { path: was }: Pattern,
  path: string,
  id: string,
  taken: TakenNames = NOTHING_TAKEN,
): string {
  const named =
    was === undefined
      ? text
      : text
          .replace(`"id": "${toFileName(was)}"`, () => `"id": ${JSON.stringify(id)}`)
          .replace(`"resource": "${was}"`, () => `"resource": ${JSON.stringify(path)}`);
  return named.replace(/"(id|resource)": "([^"]+)"/g, (_, key: string, name: string) => {
    const free = key === 'id' ? findFreeId(name, taken) : findFreePath(name, taken);
    return `"${key}": ${JSON.stringify(free)}`;
  });
}

const findFreeId = (id: string, { ids }: TakenNames): string => findFree(id, (one) => ids.includes(one));

/** A path of another shape than all others: names of parameters are no difference. */
export function findFreePath(path: string, { paths }: TakenNames): string {
  const shapes = new Set(paths.map(toShape));
  return findFree(path, (one) => shapes.has(toShape(one)));
}

const toShape = (path: string): string => path.replace(/:[^/]+/g, ':').toLowerCase();

/** `name`, else `name-2`, `name-3` and so on. */
function findFree(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let i = 2; isTaken(free); i++) free = `${name}-${i}`;
  return free;
}

/** The environment file with the lines that it lacks; null if it has all. */
export function addVariables(
  text: string,
  variables: Readonly<Record<string, string>>,
  write: (value: string) => string,
): string | null {
  const present = new Set([...text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name));
  const lines = Object.entries(variables).flatMap(([name, value]) =>
    present.has(name) ? [] : [`${name}=${write(value)}\n`],
  );
  if (lines.length === 0) return null;
  return text + (text === '' || text.endsWith('\n') ? '' : '\n') + lines.join('');
}

/** Fresh random text for `generate:<length>`; other values stay. */
export const createValue = (value: string): string => {
  const length = /^generate:(\d+)$/.exec(value)?.[1];
  return length === undefined ? value : randomBytes(Number(length)).toString('base64url').slice(0, Number(length));
};
