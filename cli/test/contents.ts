/** Files that a test stores before it begins, sends, or expects in the storage. */
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { isObject, asText, type Json, type JsonObject } from '../../contract/json.js';
import type { Mismatch } from '../../contract/matcher.js';
import type { TestStoredFile } from '../../contract/tests.js';
import type { Project } from '../../language/project/project.js';
import { asObjects, type TestCase } from './definition.js';
import { matchRows, type Match } from './match.js';
import { fillSaved, type Saved } from './saved.js';

export interface ContentReader {
  /** Of `text`, `base64` or `path`. */
  readContent(file: JsonObject): Promise<Uint8Array>;
  /** From the folder of the test file, and never out of that of the config. */
  readPath(path: string): Promise<Uint8Array>;
}

export function createContentReader(
  { cwd, folder }: Pick<Project, 'cwd' | 'folder'>,
  { definition }: TestCase,
  saved: Saved,
): ContentReader {
  const readPath = async (path: string): Promise<Uint8Array> => {
    const around = await realpath(folder);
    const file = await realpath(resolve(dirname(resolve(cwd, definition.doc.file)), path)).catch(() => null);
    if (file === null) throw new Error(`there is no file "${path}" in the folder of the test file`);
    if (!file.startsWith(around.endsWith(sep) ? around : around + sep))
      throw new Error(`the file "${path}" is outside the folder of the config`);
    return readFile(file);
  };
  return {
    readPath,
    async readContent({ text, base64, path }) {
      if (path !== undefined) return readPath(asText(path));
      if (base64 !== undefined) return Buffer.from(asText(base64), 'base64');
      return Buffer.from(String(fillSaved(asText(text), saved)));
    },
  };
}

export async function readStoredFiles(files: Json | undefined, reader: ContentReader): Promise<TestStoredFile[]> {
  const read = async (file: JsonObject) => ({ key: asText(file['key']), content: await reader.readContent(file) });
  return Promise.all(asObjects(files).map(read));
}

export interface EncodedForm {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** `body`: the text parts. A list is sent as several parts of one name. */
export async function encodeForm(files: Json, body: unknown, reader: ContentReader): Promise<EncodedForm> {
  if (body !== undefined && !isObject(body)) throw new Error('with "files", "body" is an object: the parts of a form');
  const form = new FormData();
  for (const [name, value] of Object.entries(body ?? {}))
    for (const one of Array.isArray(value) ? value : [value])
      form.append(name, typeof one === 'string' ? one : JSON.stringify(one));
  for (const file of asObjects(files)) {
    const { field, name, type, path } = file;
    const fileName = asText(name) || basename(asText(path)) || asText(field);
    form.append(asText(field), new File([await reader.readContent(file)], fileName, { type: asText(type) }));
  }
  const encoded = new Response(form);
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  return { type: encoded.headers.get('content-type') ?? '', bytes };
}

/** As `expect.files` compares it. Messages show no Base64. */
function describeFile({ key, content }: TestStoredFile): object {
  const bytes = Buffer.from(content);
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes);
  const shown = { key, size: bytes.length, ...(isText && { text }) };
  return Object.defineProperties(shown, { base64: { value: bytes.toString('base64') } });
}

export async function matchFiles(
  expected: Json,
  files: readonly TestStoredFile[],
  match: Match,
  reader: ContentReader,
): Promise<readonly Mismatch[]> {
  const wanted = asObjects(expected);
  const contents = new Map<string, string>();
  for (const path of wanted.map((one) => asText(one['path'])).filter(Boolean))
    contents.set(path, Buffer.from(await reader.readPath(path)).toString('base64'));
  return matchRows(
    wanted,
    files.map(describeFile),
    (item, actual) => {
      const { path, ...fields } = item as JsonObject;
      const found = match(fields, actual);
      if (path === undefined || (actual as { base64: string }).base64 === contents.get(asText(path))) return found;
      return [...found, { pointer: '/path', message: `the content is not that of ${asText(path)}` }];
    },
    'file',
  );
}

/** Equal where the files are the same. */
export const summarizeFiles = (files: readonly TestStoredFile[]): string =>
  files
    .map(({ key, content }) => `${key} ${Buffer.from(content).toString('base64')}`)
    .sort()
    .join('\n');
