/**
 * `--editor`: compares the language server with vscode-json-languageservice and the generated JSON Schema. Each visit starts a new
 * process. A time counts only if the result is right: Lintel must report the expected problem, the other server any.
 */
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  listCompletionKeystrokes,
  listHoverKeystrokes,
  listProblemKeystrokes,
  createMultiFileProject,
  createManyModelsProject,
  getConfigKeystroke,
  getModelKeystroke,
  createSingleFileProject,
  type FileKeystroke,
  type Keystroke,
  type LargeProject,
} from '../../test/support/large-files.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import { readResidentMiB, readTreeCpuMicros } from '../proc.js';
import { rotateItems } from '../rounds.js';
import { measureChanges } from './changes.js';
import {
  createBook,
  createEditRow,
  createMemoryRow,
  createTimeRow,
  EDIT_CPU,
  KEYSTROKES,
  LARGE,
  LARGE_EDITS,
  type EditorMeasurement,
  type FigureRow,
} from './figures.js';
import { startClient, type Client } from './client.js';
import { makeSides, writeProject, writeSample, type Side } from './sides.js';
import { addPlugins } from './plugins.js';

const EDITS = 100;
/** With a misspelt section, the last valid config is used, so the analysis does not change. */
const CONFIG_CPU = 15;
/** Milliseconds without messages, in which a server may release memory. */
const IDLE = 4000;
const SAMPLE_FILE = 'definitions/resources/sign-in.resource.json';

interface Options {
  readonly rounds: number;
  readonly json: string | null;
}

export async function measureEditor(folder: string, options: Options, print: (line: string) => void): Promise<number> {
  const { all, kilobytes, packages } = await makeSides(folder);
  const [sample, large, many] = [join(folder, 'sample'), join(folder, 'large'), join(folder, 'many')];
  const [one, workspace] = [createSingleFileProject(200_000), createMultiFileProject(500)];
  await writeSample(sample);
  await writeProject(large, one);
  await writeProject(many, workspace);
  const [wide, edited] = [join(folder, 'wide'), addPlugins(createManyModelsProject(2000, 200))];
  await writeProject(wide, edited);
  print(`Node ${process.version}; 200 KB hold ${one.resources} resources; ${options.rounds} rounds after a warm-up`);
  let book = createBook();
  for (let round = 0; round <= options.rounds; round++) {
    // The first round warms up file caches.
    if (round === 1) book = createBook();
    for (const side of rotateItems(all, round)) {
      await measureOpening({ book, side, folder: sample });
      await measureTyping({ book, side, folder: large }, one);
      await measureIndexing({ book, side, folder: many }, workspace);
      // The JSON service has no references between files.
      if (side.name === 'lintel') await measureEdits({ book, side, folder: wide }, edited);
    }
    if (round > 0) print(`round ${round} of ${options.rounds}`);
  }
  print(`\n${book.formatTable()}\n`);
  print(`bundle of the language server: ${kilobytes.toFixed(0)} KB; packages in it: ${packages.join(', ')}`);
  const exceeded = book.listExceeded();
  for (const line of exceeded) print(`failed: ${line}`);
  if (options.json !== null) {
    const rows = [...book.entries.values()].map(({ row, values }) => ({ ...row, ...Object.fromEntries(values) }));
    await writeFile(options.json, `${JSON.stringify({ kilobytes, packages, rows }, null, 2)}\n`);
  }
  return exceeded.length === 0 ? 0 : 1;
}

/** A new process and one file of the sample. */
async function measureOpening({ book, side, folder }: EditorMeasurement): Promise<void> {
  const client = await startClient({ ...side, folder, file: SAMPLE_FILE });
  book.add(createTimeRow('start to answer of initialize', null), side, [client.startMs]);
  const before = performance.now();
  client.open((await readFile(join(folder, SAMPLE_FILE), 'utf8')).replace('"mode": "QUERY"', '"mode": "QUERYS"'));
  expectMistake(side, await client.waitForDiagnostics(), /QUERYS/);
  book.add(createTimeRow('opening to first diagnostics', 300), side, [performance.now() - before]);
  book.add(
    createTimeRow('start to first diagnostics', null),
    side,
    [client.sinceStart()],
    readTreeCpuMicros(client.pid) / 1000,
  );
  if (side.name === 'lintel') {
    expectMistake(side, await client.waitForAllDiagnostics(), /QUERYS/);
    const took = [performance.now() - before];
    book.add(
      createTimeRow('opening to all diagnostics of the project', null),
      side,
      took,
      readTreeCpuMicros(client.pid) / 1000,
    );
  }
  await client.close();
}

/** Edits in the middle of a file of 200 KB. */
async function measureTyping(visit: EditorMeasurement, project: LargeProject): Promise<void> {
  const { book, side, folder } = visit;
  const text = project.files[project.open] ?? '';
  const client = await startClient({ ...side, folder, file: project.open });
  const before = performance.now();
  client.open(text);
  expectNoMistake(side, await client.waitForDiagnostics());
  book.add(createTimeRow('200 KB: opening to diagnostics', null), side, [performance.now() - before]);

  for (const stroke of listProblemKeystrokes(project)) {
    client.replace(stroke.text);
    expectNoMistake(side, await client.waitForDiagnostics());
    await measureKeystroke(
      visit,
      client,
      createTimeRow(`200 KB: diagnostics, mistake ${stroke.name}`, 30),
      stroke,
      async () => {
        const found = await client.waitForDiagnostics();
        return isKnown(side, found, stroke.expected);
      },
    );
  }
  for (const stroke of listCompletionKeystrokes(project)) {
    client.replace(stroke.text);
    await client.waitForDiagnostics();
    await measureKeystroke(visit, client, createTimeRow(`200 KB: completion, ${stroke.name}`, 15), stroke, async () => {
      const offered = await client.fetchCompletions(stroke.offset + 1);
      return offered.some((label) => stroke.expected.test(label));
    });
  }
  for (const stroke of listHoverKeystrokes(project)) {
    client.replace(stroke.text);
    await client.waitForDiagnostics();
    // Edits the end of the text, and requests in the middle.
    const typed = { ...stroke, letter: ' ', offset: stroke.text.length };
    await measureKeystroke(visit, client, createTimeRow('200 KB: hover', 15), typed, async () =>
      stroke.expected.test(await client.fetchHover(stroke.offset)),
    );
  }
  await client.close();
}

/** Inserts and removes the same letter many times. Without the right result, the row has no value. */
async function measureKeystroke(
  { book, side }: EditorMeasurement,
  client: Client,
  row: FigureRow,
  { offset, letter }: Keystroke,
  answer: () => Promise<boolean>,
  times = KEYSTROKES,
): Promise<void> {
  const took: number[] = [];
  let cpu = 0;
  for (let n = 0; n < times; n++) {
    const cpuBefore = readTreeCpuMicros(client.pid);
    const before = performance.now();
    client.edit(offset, offset, letter);
    const isRight = await answer();
    took.push(performance.now() - before);
    // The CPU time includes what was not requested.
    await client.waitForDiagnostics();
    client.edit(offset, offset + letter.length, '');
    await client.waitForDiagnostics();
    cpu += readTreeCpuMicros(client.pid) - cpuBefore;
    if (!isRight && n > 0) throw new Error(`${side.name} had the right result, and then not: ${row.name}`);
    if (!isRight) {
      book.add(row, side, []);
      return;
    }
  }
  book.add(row, side, took, cpu / 2000 / times);
}

/** 500 resources in as many files. The JSON service has no index, so only its memory is compared. */
async function measureIndexing({ book, side, folder }: EditorMeasurement, project: LargeProject): Promise<void> {
  const client = await startClient({ ...side, folder, file: project.open });
  if (side.name === 'lintel') {
    await client.waitForIndex(project.resources);
    book.add(createTimeRow('500 resources: start to indexed', 2000), side, [client.sinceStart()]);
  }
  client.open(project.files[project.open] ?? '');
  expectNoMistake(side, await client.waitForDiagnostics());
  await setTimeout(IDLE);
  book.add(createMemoryRow('500 resources: memory when read', 150), side, [readResidentMiB(client.pid)]);
  const [stroke] = listProblemKeystrokes(project);
  if (stroke === undefined) return;
  const took: number[] = [];
  for (let n = 0; n < EDITS; n++) {
    const before = performance.now();
    if (n % 2 === 0) client.edit(stroke.offset, stroke.offset, stroke.letter);
    else client.edit(stroke.offset, stroke.offset + 1, '');
    const found = await client.waitForDiagnostics();
    took.push(performance.now() - before);
    if (n % 2 === 0) expectMistake(side, found, stroke.expected);
    else expectNoMistake(side, found);
  }
  book.add(createTimeRow('500 resources: diagnostics, a letter in one', 30), side, took);
  await setTimeout(IDLE);
  book.add(createMemoryRow('500 resources: memory after 100 letters', 150), side, [readResidentMiB(client.pid)]);
  await client.close();
}

/** Edits of each kind in a large project, for Lintel only. */
async function measureEdits(
  visit: EditorMeasurement,
  project: ReturnType<typeof createManyModelsProject>,
): Promise<void> {
  const { book, side, folder } = visit;
  const [inResource] = listProblemKeystrokes(project);
  if (inResource === undefined) return;
  const strokes: readonly FileKeystroke[] = [
    { ...inResource, name: 'a resource', file: project.open },
    getModelKeystroke(project, project.model),
    getConfigKeystroke(project),
  ];
  for (const stroke of strokes) {
    const client = await startClient({ ...side, folder, file: stroke.file });
    await client.waitForIndex(project.resources);
    client.open(stroke.text);
    expectNoMistake(side, await client.waitForAllDiagnostics());
    const cpuBound = stroke.file === CONFIG_NAME ? CONFIG_CPU : EDIT_CPU;
    const row = createEditRow(`diagnostics, a letter in ${stroke.name}`, 150, cpuBound);
    const findMistake = async (): Promise<boolean> => isKnown(side, await client.waitForDiagnostics(), stroke.expected);
    await measureKeystroke(visit, client, row, stroke, findMistake, LARGE_EDITS);
    const completion = createEditRow(`completion, a letter in ${stroke.name}`, 50, cpuBound);
    const complete = async (): Promise<boolean> => {
      await client.fetchCompletions(stroke.offset + 1);
      return true;
    };
    await measureKeystroke(visit, client, completion, stroke, complete, LARGE_EDITS);
    if (stroke.file === project.open) await measureChanges(visit, client, project);
    await setTimeout(IDLE);
    const memory = createMemoryRow(`${LARGE}: memory after letters in ${stroke.name}`, 200);
    book.add(memory, side, [readResidentMiB(client.pid)]);
    await client.close();
  }
}

const isKnown = (side: Side, found: readonly Diagnostic[], expected: RegExp): boolean =>
  side.name === 'lintel'
    ? found.some(({ code, message }) => expected.test(`${code} ${getMessageText(message)}`))
    : found.length > 0;

function expectMistake(side: Side, found: readonly Diagnostic[], expected: RegExp): void {
  if (!isKnown(side, found, expected))
    throw new Error(`${side.name} reports ${JSON.stringify(found.slice(0, 3))}, not ${expected}`);
}

function expectNoMistake(side: Side, found: readonly Diagnostic[]): void {
  if (found.length > 0)
    throw new Error(`${side.name} reports a problem in a valid text: ${JSON.stringify(found.slice(0, 3))}`);
}

const getMessageText = (message: Diagnostic['message']): string =>
  typeof message === 'string' ? message : message.value;
