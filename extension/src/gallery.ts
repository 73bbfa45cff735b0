/**
 * The gallery of patterns: `gallery/index.json` names files that are whole definitions. New files begin as copies of them;
 * a pattern that speaks of tables names the models that it needs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileNameOf } from './words.js';

export interface Pattern {
  /** Of the file, below `gallery/`. */
  readonly file: string;
  readonly sort: 'resource' | 'model';
  readonly title: string;
  readonly description: string;
  /** The path that the pattern is written with; new resources get their own. Absent: it holds several resources. */
  readonly path?: string;
  /** Models of the gallery, by name, whose tables the pattern reads or writes. */
  readonly needs?: readonly string[];
}

export interface Gallery {
  readonly patterns: readonly Pattern[];
  textOf(pattern: Pattern): string;
  /** The pattern of a model by its name: `_user`. */
  model(name: string): Pattern | undefined;
}

export function readGallery(folder: string): Gallery {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const patterns = JSON.parse(read('index.json')) as readonly Pattern[];
  return {
    patterns,
    textOf: ({ file }) => read(file),
    model: (name) => patterns.find(({ sort, file }) => sort === 'model' && modelNameOf(file) === name),
  };
}

/** `models/_user.model.json` holds `_user`. */
export const modelNameOf = (file: string): string => (file.split('/').pop() ?? '').replace(/\.model\.jsonc?$/, '');

/** The pattern under another path; the id follows from it. */
export function withPath(text: string, pattern: Pattern, path: string, id: string): string {
  if (pattern.path === undefined) return text;
  const was = pattern.path;
  return text
    .replace(`"id": "${fileNameOf(was)}"`, () => `"id": ${JSON.stringify(id)}`)
    .replace(`"resource": "${was}"`, () => `"resource": ${JSON.stringify(path)}`);
}
