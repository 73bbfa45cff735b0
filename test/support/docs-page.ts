/**
 * Documentation pages: their blocks, and whether a response matches the page. It starts nothing and registers no tests.
 */
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client } from './client.js';
import { ROOT } from './project.js';

export interface Block {
  readonly language: string;
  /** The text after the language: the name of a file. */
  readonly name: string;
  readonly text: string;
  /** The heading above it. */
  readonly heading: string;
}

/** The pages about the language, in reading order: later ones send requests for definitions of earlier ones. */
export const LANGUAGE_PAGES = [
  'language.md',
  ...['data', 'calls-and-files', 'secrets', 'work', 'clients', 'operation'].map((name) => `language/${name}.md`),
];

export const pageText = (page: string): string => readFileSync(join(ROOT, 'docs', page), 'utf8');

/** Every block between fences, in the order of the page. */
export function listBlocks(page: string): Block[] {
  let heading = '';
  return [...pageText(page).matchAll(/^#+ (.+)$|^```(\S+)(?: (\S+))?\n([^]*?)^```/gm)].flatMap(
    ([, title, language = '', name = '', content = '']) => {
      if (title !== undefined) heading = title;
      return title === undefined ? [{ language, name, text: content, heading }] : [];
    },
  );
}

/** `METHOD /path {body} header: value`, and below it `status {response}`. */
export const EXCHANGE = /^(GET|POST|DELETE) (\S+)(?: (\{.*\}))?(?: ([a-z-]+): (.+))?\n(\d{3})(?: ([^]+))?$/;

/** `<name>` becomes its value, if known. */
export const fillNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/<\w+>/g, (name) => names.get(name) ?? name);

/** Sends the request of an exchange; compares status and response with the page. */
export async function performExchange(
  written: string,
  names: Map<string, string>,
  { request }: Pick<Client, 'request'>,
): Promise<void> {
  const parts = EXCHANGE.exec(written);
  expect(parts, written).not.to.equal(null);
  const [, method = '', path = '', body, header, value = '', status, answer = 'null'] = parts ?? [];
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(header !== undefined && { [header]: fillNames(value, names) }),
  };
  const init = { headers, ...(body !== undefined && { body: fillNames(body, names) }) };
  const given = await request(method, fillNames(path, names), init);
  expect(given.status, given.text).to.equal(Number(status));
  // A status page holds more than a document shows.
  const isWhole = given.status < 300 && !path.startsWith('/status');
  expect(isExpected(JSON.parse(answer), given.body, names, isWhole), given.text).to.equal(true);
}

/** `...` is any text, `<name>` is recorded at its first use; other members of a problem are not compared. */
export function isExpected(expected: unknown, actual: unknown, names: Map<string, string>, whole: boolean): boolean {
  if (expected === '...') return typeof actual === 'string';
  if (typeof expected === 'string' && /^<\w+>$/.test(expected) && typeof actual === 'string') {
    const known = names.get(expected);
    if (known === undefined) names.set(expected, actual);
    return known === undefined || known === actual;
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  const sameSize = !whole || keys.length === Object.keys(actual).length;
  const at = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];
  return sameSize && keys.every((key) => isExpected(at(expected, key), at(actual, key), names, whole));
}

/** Files of a page by the name in their first line. */
export function listNamedFiles(page: string): Map<string, string> {
  const named = listBlocks(page).flatMap(({ text }) => {
    const [, name = ''] = /^\/\/ (\S+\/\S+|lintel\.config\.json)\n/.exec(text) ?? [];
    return name === '' ? [] : [[name, text] as const];
  });
  return new Map(named);
}

/** Lets plugins of a project import `lintel`. */
export const linkPackage = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/lintel'));
};
