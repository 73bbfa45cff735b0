/**
 * Which test file executes which lines, measured by running every test file, and remembered in `dist/mutation/coverage.jsonl`: a file
 * of which nothing changed is not run again. Test files that fail without a mutant, or take too long, are noted and never used.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/project.js';
import { matchesGlob } from './options.js';
import type { LinesByFile, RunResult } from './messages.js';
import type { SharedServers } from './servers.js';
import { startTestProcess, type RunOutcome, type TestProcess } from './test-process.js';
import { listTestFiles, type TestFile } from './test-files.js';
import type { Workspace } from './workspace.js';

export interface Measurement {
  readonly path: string;
  readonly hash: string;
  /** The shortest and the longest duration of its tests, including other load of the machine. */
  readonly ms: number;
  readonly longestMs: number;
  /** Why the file is not used, or null. */
  readonly problem: string | null;
  readonly run: LinesByFile;
  readonly load: LinesByFile;
}

/** A test file and its measurements. Times change while mutants run. */
export type MeasuredFile = TestFile & Omit<Measurement, 'ms' | 'longestMs'> & { ms: number; longestMs: number };

export const COVERAGE_FILE = join(ROOT, 'dist/mutation/coverage.jsonl');
const LIMIT_MS = 200_000;
/** A process that ran so many files is replaced, for its memory. */
const FILES_PER_PROCESS = 25;

/** Each workspace measures one file at a time; times are longer then, which only increases the limits of mutants. */
export async function measureCoverage(
  workspaces: readonly Workspace[],
  root: string,
  servers: SharedServers,
  tests: string | null,
  print: (line: string) => void,
): Promise<MeasuredFile[]> {
  const isWanted = ({ path }: TestFile): boolean =>
    tests === null || matchesGlob(path.replace(/^dist\/test\/(.*)\.test\.js$/, '$1'), tests);
  const files = listTestFiles(root).filter(isWanted);
  const known = readMeasurements();
  const measured: MeasuredFile[] = [];
  const missing: TestFile[] = [];
  for (const file of files) {
    const old = known.get(file.path);
    if (old?.hash === file.hash) measured.push({ ...file, ...old });
    else missing.push(file);
  }
  print(`coverage: ${measured.length} test files are known, ${missing.length} are measured`);
  mkdirSync(dirname(COVERAGE_FILE), { recursive: true });
  let done = 0;
  const open = missing.values();
  // Other jobs use databases of the same servers.
  const isAlone = workspaces.length === 1;
  await Promise.all(
    workspaces.map(async (workspace) => {
      const measurer = createMeasurer(workspace, servers, isAlone);
      for (const file of open) {
        const found = await measurer.measureFile(file);
        appendFileSync(COVERAGE_FILE, `${JSON.stringify(found)}\n`);
        measured.push({ ...file, ...found });
        const note = found.problem === null ? '' : `, left out: ${found.problem}`;
        print(`coverage: ${++done}/${missing.length} ${file.path} ${found.ms} ms${note}`);
      }
      await measurer.close();
    }),
  );
  await servers.removeDatabases();
  return measured;
}

function readMeasurements(): Map<string, Measurement> {
  if (!existsSync(COVERAGE_FILE)) return new Map();
  const lines = readFileSync(COVERAGE_FILE, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Measurement).map((found) => [found.path, found]));
}

function createMeasurer(workspace: Workspace, servers: SharedServers, isAlone: boolean) {
  const folder = join(workspace.folder, '..', 'coverage');
  const env = { ...servers.env, LINTEL_COVERAGE: folder };
  let current: TestProcess | null = null;
  let count = 0;

  async function close(): Promise<void> {
    await current?.close();
    current = null;
    workspace.clear();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    if (isAlone) await servers.removeDatabases();
  }

  async function run(path: string): Promise<RunOutcome> {
    if (current === null || count >= FILES_PER_PROCESS) {
      await close();
      count = 0;
      current = await startTestProcess(workspace, env);
    }
    count++;
    return current.run({ file: join(workspace.folder, path) }, LIMIT_MS);
  }

  return {
    close,
    async measureFile({ path, hash }: TestFile): Promise<Measurement> {
      let outcome = await run(path);
      if (outcome.type === 'exit' || (outcome.type === 'result' && outcome.result.failure !== null)) {
        // Another file before it in the same process may be the cause.
        await close();
        outcome = await run(path);
      }
      if (outcome.type !== 'result' || outcome.result.failure !== null) await close();
      const result: RunResult | null = outcome.type === 'result' ? outcome.result : null;
      const { run: executed = {}, load = {} } = result?.executed ?? {};
      const ms = result?.ms ?? LIMIT_MS;
      return { path, hash, ms, longestMs: ms, problem: findProblem(outcome), run: executed, load };
    },
  };
}

function findProblem(outcome: RunOutcome): string | null {
  if (outcome.type === 'timeout') return `it takes more than ${LIMIT_MS / 1000} s`;
  if (outcome.type === 'exit') return `its process ends: ${outcome.reason}`;
  const { failure, passes } = outcome.result;
  if (failure !== null) return `it fails without a mutant: ${failure.test}: ${failure.message}`;
  return passes === 0 ? 'all of its tests are skipped' : null;
}

/** With the times that were seen meanwhile, and without files that are gone. */
export function compactMeasurements(root: string, measured: readonly MeasuredFile[]): void {
  const known = readMeasurements();
  for (const { path, hash, ms, longestMs, problem, run, load } of measured) {
    known.set(path, { path, hash, ms, longestMs, problem, run, load });
  }
  const lines = [...known.values()].filter(({ path }) => existsSync(join(root, path)));
  writeFileSync(COVERAGE_FILE, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
