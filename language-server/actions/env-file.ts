/** Quick fixes that move a secret to `.env` or add missing variables. Values appear only in the edit. */
import { randomBytes } from 'node:crypto';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parseEnv } from 'node:util';
import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { Problem } from '../../contract/problem.js';
import { createDocument, positionAt } from '../../language/source/document.js';
import { toFileUri } from '../uri.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export async function envActions(asked: ActionSourceInput): Promise<CodeActionOffer[]> {
  const offers: CodeActionOffer[] = [];
  if (!(await isSafeTarget(asked, '.env')) || !(await isSafeTarget(asked, '.env.example'))) return offers;
  for (const problem of asked.problems) {
    if (problem.code === 'SEC_CLEAR' || problem.code === 'SEC_SAMPLE')
      offers.push(...(await offerSecretMove(asked, problem)));
    if (problem.code === 'ENV_MISSING') offers.push(...(await offerVariable(asked, problem)));
  }
  return offers;
}

/** Secrets are not written through links that lead outside of the project. */
async function isSafeTarget({ view }: ActionSourceInput, file: string): Promise<boolean> {
  const { folder } = view.project;
  const name = join(folder, file);
  if ((await lstat(name).catch(() => null)) === null) return true;
  try {
    const real = await realpath(name);
    return real.startsWith((await realpath(folder)) + sep) && (await stat(real)).isFile();
  } catch {
    return false;
  }
}

async function offerSecretMove(asked: ActionSourceInput, problem: Problem): Promise<CodeActionOffer[]> {
  const { view, server } = asked;
  const proposed = /^"(\$[A-Z_0-9]+\.)([A-Za-z_][A-Za-z0-9_]*)"$/.exec(problem.fix?.text ?? '');
  const [, root = '', base = ''] = proposed ?? [];
  if (base === '') return [];
  const source = view.doc.text.slice(view.offsetAt(problem.range.start), view.offsetAt(problem.range.end));
  // A well-known sample secret is replaced by a random value.
  const isKnown = problem.code === 'SEC_SAMPLE';
  const value = isKnown ? randomBytes(32).toString('base64url') : parseJsonString(source);
  const line = value === null ? null : formatEnvLine(await freeName(asked, base), value);
  if (line === null) return [];
  const change = { range: problem.range, newText: JSON.stringify(`${root}${line.name}`) };
  const edit = await withLines(asked, { [server.toClientUri(view.name)]: [change] }, line.name, line.text);
  const what = isKnown ? 'Read a new random value from' : 'Move it to';
  return [{ title: `${what} .env, as ${line.name}`, edit, fixes: [problem], needsReview: true }];
}

async function offerVariable(asked: ActionSourceInput, problem: Problem): Promise<CodeActionOffer[]> {
  const { view } = asked;
  const source = view.doc.text.slice(view.offsetAt(problem.range.start), view.offsetAt(problem.range.end));
  const name = /\.([A-Za-z_][A-Za-z0-9_]*)"?$/.exec(source)?.[1];
  if (name === undefined) return [];
  const example = parseEnv(await read(asked, '.env.example'))[name] ?? '';
  const length = Number(/^generate:(\d{1,4})$/.exec(example)?.[1] ?? 0);
  const value = length > 0 && length <= 1024 ? randomBytes(length).toString('base64url').slice(0, length) : example;
  const line = formatEnvLine(name, value);
  if (line === null) return [];
  const edit = await withLines(asked, {}, name, line.text);
  const what = value === '' ? `Add "${name}" to .env, to be filled in` : `Add "${name}" to .env as .env.example says`;
  return [{ title: what, edit, fixes: value === '' ? [] : [problem] }];
}

/** A variable name that no env file contains. */
async function freeName(asked: ActionSourceInput, base: string): Promise<string> {
  const { names } = asked.view.project.envNames;
  let name = base;
  for (let i = 2; names.includes(name); i++) name = `${base}_${i}`;
  return name;
}

/** A line that is read back as the same value; null if there is none. */
function formatEnvLine(name: string, value: string): { readonly name: string; readonly text: string } | null {
  const forms = [
    /^[A-Za-z0-9_./:@?&=+,%|~-]*$/.test(value) ? value : null,
    ...["'", '`', '"'].map((mark) => mark + value + mark),
  ];
  const form = forms.find(
    (one) =>
      one !== null &&
      parseEnv(`${name}=${one}\nEND=1\n`)[name] === value &&
      parseEnv(`${name}=${one}\nEND=1\n`)['END'] === '1',
  );
  return form === undefined || form === null ? null : { name, text: `${name}=${form}` };
}

function parseJsonString(source: string): string | null {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

const read = ({ view }: ActionSourceInput, file: string): Promise<string> =>
  readFile(join(view.project.folder, file), 'utf8').catch(() => '');

/** Also adds the name without its value to `.env.example`, as documentation. */
async function withLines(
  asked: ActionSourceInput,
  changes: Readonly<Record<string, TextEdit[]>>,
  name: string,
  line: string,
): Promise<WorkspaceEdit> {
  const { server, view } = asked;
  const made: Record<string, TextEdit[]> = { ...changes };
  const isListed = Object.hasOwn(parseEnv(await read(asked, '.env.example')), name);
  for (const [file, text] of [['.env', line], ...(isListed ? [] : [['.env.example', `${name}=`]])] as const) {
    const now = await read(asked, file ?? '');
    const doc = createDocument('', now);
    const end = positionAt(doc, now.length);
    const lead = now === '' || now.endsWith('\n') ? '' : '\n';
    made[toFileUri(join(view.project.folder, file ?? ''))] = [
      { range: { start: end, end }, newText: `${lead}${text ?? ''}\n` },
    ];
  }
  const known = server.client.workspace?.workspaceEdit;
  if (known?.documentChanges !== true || known.resourceOperations?.includes('create') !== true)
    return { changes: made };
  return {
    documentChanges: Object.entries(made).flatMap(([uri, edits]) => [
      ...(uri in changes ? [] : [{ kind: 'create' as const, uri, options: { ignoreIfExists: true } }]),
      { textDocument: { uri, version: null }, edits },
    ]),
  };
}
