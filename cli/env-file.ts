/** Fills `.env` from `.env.example`: adds missing variables, generates secrets, never changes or returns values. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { BootError } from '../contract/boot-error.js';
import { appendPrivateFile, readText } from './files.js';

export interface EnvFileResult {
  /** False if there is no `.env.example`. */
  readonly found: boolean;
  readonly added: readonly { readonly name: string; readonly how: 'generated' | 'copied' }[];
}

const HEADER = '# Created from .env.example. Contains secrets: do not commit this file.\n';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LONGEST = 1024;

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of `.env.example` that are not set, with their values; nothing is written. */
export async function createMissingVariables(folder: string, environment: Variables): Promise<Record<string, string>> {
  const [example, present] = await Promise.all(['.env.example', '.env'].map((name) => readText(join(folder, name))));
  const known = { ...parseEnv(present ?? ''), ...environment };
  const missing = Object.entries(parseEnv(example ?? '')).filter(([name]) => !isSet(known, name));
  return Object.fromEntries(missing.map(([name, value = '']) => [name, createContent(name, value).content]));
}

export async function fillEnvFile(folder: string, environment: Variables): Promise<EnvFileResult> {
  const example = await readText(join(folder, '.env.example'));
  if (example === null) return { found: false, added: [] };
  const file = join(folder, '.env');
  const before = await readText(file);
  const present: Variables = parseEnv(before ?? '');
  const added: { name: string; how: 'generated' | 'copied' }[] = [];
  let text = '';
  for (const [name, value = ''] of Object.entries(parseEnv(example))) {
    const { content, how } = createContent(name, value);
    if (isSet(environment, name)) continue;
    // An empty value is missing unless the example is empty too. The last line wins.
    if (Object.hasOwn(present, name) && (present[name] !== '' || content === '')) continue;
    text += `${name}=${quoteValue(content)}\n`;
    added.push({ name, how });
  }
  if (text === '') return { found: true, added };
  const opening = before === null ? HEADER : before === '' || before.endsWith('\n') ? '' : '\n';
  await appendPrivateFile(file, opening + text);
  return { found: true, added };
}

const isSet = (variables: Variables, name: string): boolean =>
  Object.hasOwn(variables, name) && variables[name] !== undefined && variables[name] !== '';

function createContent(name: string, value: string): { content: string; how: 'generated' | 'copied' } {
  if (!value.startsWith('generate:')) return { content: value, how: 'copied' };
  const length = Number(value.slice('generate:'.length));
  if (!Number.isInteger(length) || length < 1 || length > LONGEST) {
    throw new BootError('CLI_GENERATE', { name, most: LONGEST });
  }
  const content = Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return { content, how: 'generated' };
}

/** Quotes the value so that it is read back unchanged. */
function quoteValue(value: string): string {
  if (/^[A-Za-z0-9_./:@?&=+,%|~-]*$/.test(value)) return value;
  return (
    ["'", '`', '"'].map((mark) => (value.includes(mark) ? null : mark + value + mark)).find((text) => text) ?? value
  );
}
