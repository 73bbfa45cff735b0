/** The files of a new project: `templates/project`. Their editor settings name the files of `listSchemaFiles`. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { findPackageFolder, readPackageFile } from './package-folder.js';

const TEMPLATE = join(findPackageFolder(import.meta.url), 'templates', 'project');
/** npm excludes `.gitignore` from packages, so dotfiles have this prefix. */
const DOT = 'dot-';

export interface ProjectWords {
  /** Of the npm package. */
  readonly name: string;
  /** What `package.json` says of `lintel`. */
  readonly dependency: string;
}

type NamedText = readonly [file: string, text: string];

/** By name. The words of a project are still placeholders (`{{name}}`). */
export async function readProjectTemplate(): Promise<NamedText[]> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const { version, peerDependencies } = readPackageFile();
  const files = paths.sort().map(async (path): Promise<NamedText> => {
    const target = relative(TEMPLATE, path)
      .split(sep)
      .map((part) => (part.startsWith(DOT) ? `.${part.slice(DOT.length)}` : part));
    return [target.join('/'), replaceWords(await readFile(path, 'utf8'), { ...peerDependencies, version })];
  });
  return Promise.all(files);
}

export const fillProjectTemplate = (template: readonly NamedText[], words: ProjectWords): NamedText[] =>
  template.map(([file, text]) => [file, replaceWords(text, { ...words })]);

const replaceWords = (text: string, words: Readonly<Record<string, string>>): string =>
  Object.entries(words).reduce((known, [key, word]) => known.replaceAll(`{{${key}}}`, word), text);
