/**
 * Writes a recorded request into a test file. Several cases are tried by `lintel test`, from the strictest to the loosest; the first one
 * that passes stays.
 */
import { spawn } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { execPath } from 'node:process';
import type { Recording } from '../../contract/console.js';
import { asText, isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { ModelColumn } from '../../contract/model.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { findPackageFolder } from '../../language/project/package-folder.js';
import { createSecretMask, maskValue } from '../debug/secrets.js';
import { writeText } from '../files.js';
import { listTables } from './data.js';
import { stripTimes } from './requests.js';

export interface SaveOutcome {
  /** Null: nothing was written. */
  readonly saved: { readonly file: string; readonly case: string } | null;
  readonly message: string;
}

/** Of one table. */
const MOST_ROWS = 50;
/** Milliseconds for all cases. */
const PATIENCE = 300_000;

export async function saveAsTest(kernel: Kernel, recording: Recording): Promise<SaveOutcome> {
  const { resource } = recording;
  if (resource === null) return { saved: null, message: 'The request has reached no resource.' };
  const { folder, cwd } = kernel.project;
  const file = await findFreeFile(kernel, resource);
  const cases = await createCases(kernel, recording);
  const write = (some: readonly JsonObject[]): Promise<void> =>
    writeText(file, `${JSON.stringify({ id: `recorded-${resource}-${recording.number}`, cases: some }, null, 2)}\n`);
  await write(cases);
  let passed: ReadonlySet<string>;
  try {
    passed = await runCases(file, cwd, kernel.project.configFile);
  } catch (error) {
    await rm(file, { force: true });
    return { saved: null, message: error instanceof Error ? error.message : String(error) };
  }
  const chosen = cases.find(({ id }) => passed.has(asText(id)));
  if (chosen === undefined) {
    await rm(file, { force: true });
    const outcome = recording.code ?? recording.status;
    const message = `No case gives the recorded outcome (${outcome}): with the rows of now, or without rows, the request ends otherwise. Write the rows that it needs by hand.`;
    return { saved: null, message };
  }
  const name = `${recording.method ?? 'POST'} ${recording.target ?? ''}`.trim();
  await write([{ ...chosen, id: name }]);
  const shown = relative(folder, file);
  return { saved: { file: shown, case: name }, message: `${shown} passes in \`lintel test\`.` };
}

/** Next to the definition, where the config finds it. */
async function findFreeFile(kernel: Kernel, resource: string): Promise<string> {
  const { tests, resources } = kernel.analysis();
  const [first] = tests;
  const near = resources.find(({ id }) => id === resource)?.definition.doc.file ?? '';
  const folder = dirname(resolve(kernel.project.folder, first?.doc.file ?? near));
  const base = resource.replaceAll(/[^A-Za-z0-9_-]/g, '-');
  for (let number = 1; ; number++) {
    const file = join(folder, `${base}-recorded-${number}.test.json`);
    const isTaken = await access(file).then(
      () => true,
      () => false,
    );
    if (!isTaken) return file;
  }
}

/** With the whole answer, its form, and its status; each without rows, then with those of now. */
async function createCases(kernel: Kernel, recording: Recording): Promise<JsonObject[]> {
  const rows = await readRows(kernel, recording.resource ?? '');
  const hasRows = Object.values(rows).some((some) => some.length > 0);
  const givens: { readonly tables?: JsonObject }[] = [{}, ...(hasRows ? [{ tables: rows }] : [])];
  const tried = givens.flatMap((given, j) =>
    createExpectations(recording, given.tables ?? null).map((expect, i) => ({ given, expect, i, j })),
  );
  // The strictest of all first.
  tried.sort((one, other) => one.i - other.i || one.j - other.j);
  return tried.map(({ given, expect, i, j }) => ({
    id: `${i}-${j}`,
    given: { now: new Date(recording.startedAt).toISOString(), ...given },
    steps: [{ request: createRequest(recording), expect }],
  }));
}

function createRequest({ resource, method, target, payload, claims }: Recording): JsonObject {
  const isInQuery = method === 'GET' || method === 'HEAD' || method === 'DELETE';
  return {
    resource: resource ?? '',
    ...(method !== 'POST' && { method: method ?? 'POST' }),
    ...(target !== null && { path: target }),
    ...(!isInQuery && { body: payload }),
    ...(isObject(claims) && { as: stripTimes(claims) }),
  };
}

/** From the strictest one. */
function createExpectations(
  { status, code, answer, answerLacks, problem, payload, claims }: Recording,
  rows: Json,
): JsonObject[] {
  if (code !== null) {
    const pointer = problem?.issues[0]?.pointer;
    return [...(pointer === undefined ? [] : [{ problem: { code, pointer } }]), { problem: { code } }];
  }
  if (answer === undefined || answerLacks !== null) return [{ status }];
  const known = new Set<Json>();
  collectValues([payload, claims, rows], known);
  return [
    { status, body: describeValue(answer, known, false) },
    { status, body: describeValue(answer, known, true) },
    { status },
  ];
}

function collectValues(value: Json, into: Set<Json>): void {
  if (typeof value !== 'object' || value === null) into.add(value);
  else for (const inner of Object.values<Json>(value)) collectValues(inner, into);
}

const FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ['uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['ulid', /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/],
  ['timestamp', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/],
];

/** Values that neither the request nor the rows have are new in each run. `isLoose`: only the types. */
function describeValue(value: Json, known: ReadonlySet<Json>, isLoose: boolean): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => describeValue(item, known, isLoose));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, describeValue(inner, known, isLoose)]),
    );
  if (known.has(value) || value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return isLoose ? { $any: 'number' } : value;
  const form = FORMS.find(([, pattern]) => pattern.test(value))?.[0];
  if (form !== undefined) return { $any: form };
  return isLoose ? { $any: 'string' } : value;
}

/** Of the tables that the resource uses and those they refer to, without secrets: a test file is for everyone. */
async function readRows(kernel: Kernel, resource: string): Promise<Readonly<Record<string, JsonObject[]>>> {
  const all = listTables(kernel);
  const touched = new Set(kernel.plans().byId.get(resource)?.summary.touches ?? []);
  for (const name of touched)
    for (const { table } of all)
      if (table.table === name)
        for (const { references } of table.columns) if (references) touched.add(references.table);
  const mask = createSecretMask(kernel);
  const rows: Record<string, JsonObject[]> = {};
  for (const { table, rows: source } of all) {
    if (!touched.has(table.table) || Object.hasOwn(rows, table.table)) continue;
    const isOpen = ({ name, secret }: ModelColumn): boolean => !secret && !mask.isSecret(name);
    const open = new Set(table.columns.filter(isOpen).map(({ name }) => name));
    const found = await source.read(table, { filter: null, sort: null, skip: 0, limit: MOST_ROWS }).catch(() => null);
    if (found === null) continue;
    const hidden = table.columns.filter(
      ({ name, type, nullable, blindOf }) => !open.has(name) && !nullable && type === 'text' && blindOf === undefined,
    );
    rows[table.table] = found.map((row, at) => ({
      ...(maskValue(
        Object.fromEntries(Object.entries(row).filter(([name]) => open.has(name))),
        mask,
        [],
      ) as JsonObject),
      ...Object.fromEntries(hidden.map(({ name, maxLength }) => [name, `${name} ${at}`.slice(-(maxLength ?? 99))])),
    }));
  }
  return rows;
}

/** The ids of the cases that pass. Tests replace the time, so they have a process of their own. */
async function runCases(file: string, cwd: string, config: string): Promise<ReadonlySet<string>> {
  const command = join(findPackageFolder(import.meta.url), 'dist/bundle/cli.js');
  const words = [command, 'test', file, '--config', config, '--reporter', 'json', '--trust'];
  const child = spawn(execPath, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  await new Promise<void>((done, failed) => {
    child.once('error', failed);
    child.once('close', () => done());
  });
  try {
    const { cases } = JSON.parse(texts.out) as {
      readonly cases: readonly { readonly id: string; readonly outcome: string }[];
    };
    return new Set(cases.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : [])));
  } catch {
    throw new Error(`\`lintel test\` did not run: ${texts.err.trim().slice(0, 1000)}`);
  }
}
