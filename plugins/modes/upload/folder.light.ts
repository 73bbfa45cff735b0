/** Upload folders of definitions. Request values enter a key only if they look like identifiers. */
import { parseTemplate } from '../../../language/strings/accessor.js';

/** Values that an accessor may insert into a folder. */
export const isFolderValue = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

export interface FolderAccessor {
  readonly root: string;
  readonly tail: readonly string[];
  readonly text: string;
}

export const parseFolder = (folder: string): readonly (string | FolderAccessor)[] =>
  parseTemplate(folder).map((part) =>
    typeof part === 'string' ? part : { root: part.root, tail: part.tail, text: folder.slice(part.start, part.end) },
  );

/** The earlier system writes a leading slash. */
export const trimSlash = (folder: string): string => folder.replace(/^\//, '');

/** Why a written folder is invalid, or null. */
export function findFolderFlaw(folder: string): string | null {
  const parts = parseFolder(folder);
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  if (sample === '') return 'it is empty';
  if (/^\/|\/$/.test(sample)) return 'it begins or ends with a slash';
  if (sample.includes('//')) return 'two slashes follow each other';
  if (/(^|\/)\.+(\/|$)/.test(sample)) return '`.` and `..` lead out of it';
  const invalid = /[^A-Za-z0-9_/-]/.exec(sample)?.[0];
  if (invalid !== undefined)
    return `it holds ${JSON.stringify(invalid)}; letters, digits, \`_\` and \`-\` may stand in it`;
  const segments = sample.split('/');
  if (segments.length > 16) return 'it has more than 16 levels';
  return segments.some((segment) => segment.length > 60) ? 'a level is longer than 60 characters' : null;
}
