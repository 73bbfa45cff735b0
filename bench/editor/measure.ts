/**
 * `--editor`: our language server beside vscode-json-languageservice with our JSON Schema, both over stdio, each visit a
 * new process. An answer is judged before its time counts; ours has to name the mistake, the other one any.
 */
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  completionsIn,
  hoversIn,
  problemsIn,
  projectOfFiles,
  projectOfOneFile,
  type Keystroke,
  type LargeProject,
} from '../../test/support/large-files.js';
import { residentMiB, treeCpuMicros } from '../proc.js';
import { rotated } from '../rounds.js';
import { createBook, type Book, type Row } from './book.js';
import { startClient, type Client } from './client.js';
import { makeSides, writeProject, writeSample, type Side } from './sides.js';

const KEYSTROKES = 15;
const EDITS = 100;
/** Milliseconds without a letter in which a server may give memory back. */
const IDLE = 3000;
const SAMPLE_FILE = 'definitions/resources/sign-in.resource.json';

const ms = (name: string, bound: number | null): Row => ({ name, unit: 'ms', bound });
const mib = (name: string, bound: number | null): Row => ({ name, unit: 'MiB', bound });

interface Options {
  readonly rounds: number;
  readonly json: string | null;
}

interface Visit {
  readonly book: Book;
  readonly side: Side;
  readonly folder: string;
}

export async function measureEditor(folder: string, options: Options, say: (line: string) => void): Promise<number> {
  const { all, kilobytes, packages } = await makeSides(folder);
  const [sample, large, many] = [join(folder, 'sample'), join(folder, 'large'), join(folder, 'many')];
  const [one, workspace] = [projectOfOneFile(200_000), projectOfFiles(500)];
  await writeSample(sample);
  await writeProject(large, one);
  await writeProject(many, workspace);
  say(`Node ${process.version}; 200 KB hold ${one.resources} resources; ${options.rounds} rounds after a warm-up`);
  let book = createBook();
  for (let round = 0; round <= options.rounds; round++) {
    // The first one warms up what reads files.
    if (round === 1) book = createBook();
    for (const side of rotated(all, round)) {
      await opening({ book, side, folder: sample });
      await typing({ book, side, folder: large }, one);
      await indexing({ book, side, folder: many }, workspace);
    }
    if (round > 0) say(`round ${round} of ${options.rounds}`);
  }
  say(`\n${book.table()}\n`);
  say(`bundle of our server: ${kilobytes.toFixed(0)} KB; packages in it: ${packages.join(', ')}`);
  for (const line of book.over()) say(`warning: ${line}`);
  if (options.json !== null) {
    const rows = [...book.entries.values()].map(({ row, values }) => ({ ...row, ...Object.fromEntries(values) }));
    await writeFile(options.json, `${JSON.stringify({ kilobytes, packages, rows }, null, 2)}\n`);
  }
  return 0;
}

/** A cold process and one file of the sample. */
async function opening({ book, side, folder }: Visit): Promise<void> {
  const client = await startClient({ ...side, folder, file: SAMPLE_FILE });
  book.note(ms('start to answer of initialize', null), side, [client.startMs]);
  const before = performance.now();
  client.open((await readFile(join(folder, SAMPLE_FILE), 'utf8')).replace('"mode": "QUERY"', '"mode": "QUERYS"'));
  judged(side, await client.diagnostics(), /QUERYS/);
  book.note(ms('opening to first diagnostics', 300), side, [performance.now() - before]);
  book.note(ms('start to first diagnostics', null), side, [client.sinceStart()], treeCpuMicros(client.pid) / 1000);
  if (side.name === 'lintel') {
    judged(side, await client.whole(), /QUERYS/);
    const took = [performance.now() - before];
    book.note(ms('opening to all diagnostics of the project', null), side, took, treeCpuMicros(client.pid) / 1000);
  }
  await client.close();
}

/** Letters in the middle of a file of 200 KB. */
async function typing(visit: Visit, project: LargeProject): Promise<void> {
  const { book, side, folder } = visit;
  const text = project.files[project.open] ?? '';
  const client = await startClient({ ...side, folder, file: project.open });
  const before = performance.now();
  client.open(text);
  sound(side, await client.diagnostics());
  book.note(ms('200 KB: opening to diagnostics', null), side, [performance.now() - before]);

  for (const stroke of problemsIn(project)) {
    client.replace(stroke.text);
    sound(side, await client.diagnostics());
    await repeated(visit, client, ms(`200 KB: diagnostics, mistake ${stroke.name}`, 30), stroke, async () => {
      const found = await client.diagnostics();
      return isKnown(side, found, stroke.expected);
    });
  }
  for (const stroke of completionsIn(project)) {
    client.replace(stroke.text);
    await client.diagnostics();
    await repeated(visit, client, ms(`200 KB: completion, ${stroke.name}`, 15), stroke, async () => {
      const offered = await client.complete(stroke.offset + 1);
      return offered.some((label) => stroke.expected.test(label));
    });
  }
  for (const stroke of hoversIn(project)) {
    client.replace(stroke.text);
    await client.diagnostics();
    // The letter goes to the end of the text, the question is asked in the middle.
    const typed = { ...stroke, letter: ' ', offset: stroke.text.length };
    await repeated(visit, client, ms('200 KB: hover', 15), typed, async () =>
      stroke.expected.test(await client.hover(stroke.offset)),
    );
  }
  await client.close();
}

/** The same letter many times, taken back in between. Who does not know the answer gets no figure. */
async function repeated(
  { book, side }: Visit,
  client: Client,
  row: Row,
  { offset, letter }: Keystroke,
  answer: () => Promise<boolean>,
): Promise<void> {
  const took: number[] = [];
  let cpu = 0;
  for (let n = 0; n < KEYSTROKES; n++) {
    const cpuBefore = treeCpuMicros(client.pid);
    const before = performance.now();
    client.edit(offset, offset, letter);
    const isRight = await answer();
    took.push(performance.now() - before);
    // What is not asked for, but computed all the same, is paid for as well.
    await client.diagnostics();
    client.edit(offset, offset + letter.length, '');
    await client.diagnostics();
    cpu += treeCpuMicros(client.pid) - cpuBefore;
    if (!isRight && n > 0) throw new Error(`${side.name} knew the answer, and then did not: ${row.name}`);
    if (!isRight) {
      book.note(row, side, []);
      return;
    }
  }
  book.note(row, side, took, cpu / 2000 / KEYSTROKES);
}

/** 500 resources in as many files; the other one has no index, so its memory alone is compared. */
async function indexing({ book, side, folder }: Visit, project: LargeProject): Promise<void> {
  const client = await startClient({ ...side, folder, file: project.open });
  if (side.name === 'lintel') {
    await client.indexed(project.resources);
    book.note(ms('500 resources: start to indexed', 2000), side, [client.sinceStart()]);
  }
  client.open(project.files[project.open] ?? '');
  sound(side, await client.diagnostics());
  await setTimeout(IDLE);
  book.note(mib('500 resources: memory when read', 150), side, [residentMiB(client.pid)]);
  const [stroke] = problemsIn(project);
  if (stroke === undefined) return;
  const took: number[] = [];
  for (let n = 0; n < EDITS; n++) {
    const before = performance.now();
    if (n % 2 === 0) client.edit(stroke.offset, stroke.offset, stroke.letter);
    else client.edit(stroke.offset, stroke.offset + 1, '');
    const found = await client.diagnostics();
    took.push(performance.now() - before);
    if (n % 2 === 0) judged(side, found, stroke.expected);
    else sound(side, found);
  }
  book.note(ms('500 resources: diagnostics, a letter in one', 30), side, took);
  await setTimeout(IDLE);
  book.note(mib('500 resources: memory after 100 letters', 150), side, [residentMiB(client.pid)]);
  await client.close();
}

const isKnown = (side: Side, found: readonly Diagnostic[], expected: RegExp): boolean =>
  side.name === 'lintel'
    ? found.some(({ code, message }) => expected.test(`${code} ${wordsOf(message)}`))
    : found.length > 0;

function judged(side: Side, found: readonly Diagnostic[], expected: RegExp): void {
  if (!isKnown(side, found, expected))
    throw new Error(`${side.name} told ${JSON.stringify(found.slice(0, 3))}, not ${expected}`);
}

function sound(side: Side, found: readonly Diagnostic[]): void {
  if (found.length > 0)
    throw new Error(`${side.name} finds a mistake where there is none: ${JSON.stringify(found.slice(0, 3))}`);
}

const wordsOf = (message: Diagnostic['message']): string => (typeof message === 'string' ? message : message.value);
