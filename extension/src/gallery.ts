/** Reads the gallery: `gallery/index.json` lists complete definition files that new files are copied from. */
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

export function fillPattern(text: string, pattern: Pattern, path: string, id: string): string {
  if (pattern.path === undefined) return text;
  const was = pattern.path;
  return text
    .replace(`"id": "${toFileName(was)}"`, () => `"id": ${JSON.stringify(id)}`)
    .replace(`"resource": "${was}"`, () => `"resource": ${JSON.stringify(path)}`);
}
