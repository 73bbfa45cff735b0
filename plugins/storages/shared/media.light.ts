/** Media types: patterns in definitions, active content and text types. Data and predicates only. */

export const isMediaPattern = (text: string): boolean =>
  /^(\*\/\*|[a-z0-9][a-z0-9!#$&^_.+-]*\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*))$/i.test(text);

/** Active content in browsers; allowed only where a definition lists exactly this type. */
const ACTIVE: ReadonlySet<string> = new Set([
  'application/ecmascript',
  'application/javascript',
  'application/xhtml+xml',
  'application/xml',
  'application/xslt+xml',
  'image/svg+xml',
  'text/ecmascript',
  'text/html',
  'text/javascript',
  'text/xml',
]);

export const isActive = (type: string): boolean => ACTIVE.has(type) || (type.endsWith('+xml') && type !== '+xml');

const SAME: Readonly<Record<string, string>> = {
  'application/x-gzip': 'application/gzip',
  'application/x-javascript': 'application/javascript',
  'application/x-pdf': 'application/pdf',
  'application/x-zip-compressed': 'application/zip',
  'audio/mp3': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'video/x-m4v': 'video/mp4',
};
export const normalizeMediaType = (type: string): string => (Object.hasOwn(SAME, type) ? (SAME[type] ?? type) : type);

const TEXTS: ReadonlySet<string> = new Set([
  'application/json',
  'application/ld+json',
  'application/rtf',
  'application/toml',
  'application/x-ndjson',
  'application/x-yaml',
  'application/yaml',
  'application/ecmascript',
  'application/javascript',
]);

/** Text types, which have no signature in their bytes. */
export const isTextType = (type: string): boolean =>
  type.startsWith('text/') || TEXTS.has(type) || type.endsWith('+json') || isActive(type);

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/javascript': 'js',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/xhtml+xml': 'xhtml',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'image/svg+xml': 'svg',
  'text/calendar': 'ics',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/tab-separated-values': 'tsv',
  'text/vcard': 'vcf',
  'text/xml': 'xml',
};
export const getExtension = (type: string): string =>
  Object.hasOwn(EXTENSIONS, type) ? (EXTENSIONS[type] ?? 'bin') : type.startsWith('text/') ? 'txt' : 'bin';

export const findTypeByExtension = (extension: string): string | null =>
  Object.entries(EXTENSIONS).find(([, known]) => known === extension)?.[0] ?? null;

/** Types with a signature, by extension. */
const MARKED: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  heic: 'image/heic',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};
const SORTS: ReadonlySet<string> = new Set(['application', 'audio', 'font', 'image', 'text', 'video']);

/** The type of a short name: `png`, `.png`, `image`, `*`. Null for an unknown name. */
export function findTypeByShortName(word: string): string | null {
  const name = word.toLowerCase().replace(/^\*?\./, '');
  // A plural: `images`, `PDFs`. Some extensions end with an s too.
  return findTypeByName(name) ?? (name.endsWith('s') ? findTypeByName(name.slice(0, -1)) : null);
}

function findTypeByName(name: string): string | null {
  if (name === '*') return '*/*';
  if (SORTS.has(name)) return `${name}/*`;
  return Object.hasOwn(MARKED, name) ? (MARKED[name] ?? null) : findTypeByExtension(name);
}

/** Whether a list of types and wildcards allows a type. Null allows everything except active content. */
export function isAllowedType(allowed: readonly string[] | null, type: string): boolean {
  if (allowed === null) return !isActive(type);
  return allowed.some((pattern) => {
    if (pattern === type) return true;
    if (isActive(type) || !pattern.endsWith('/*')) return false;
    return pattern === '*/*' || type.startsWith(pattern.slice(0, -1));
  });
}
