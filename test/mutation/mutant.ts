/** Runs one mutant: its compiled file into the workspace, the related test files in a fresh process, to the first failed test. */
import { join } from 'node:path';
import type { MeasuredFile } from './coverage.js';
import type { RelatedTests } from './related.js';
import type { Outcome } from './results.js';
import type { SharedServers } from './servers.js';
import { startTestProcess, type RunOutcome } from './test-process.js';
import type { Workspace } from './workspace.js';

export interface Trial {
  readonly outcome: Outcome;
  readonly tests: readonly string[];
  readonly test: string | null;
  readonly message: string | null;
}

/** The time limit of a test file: a multiple of its longest duration, plus a constant. */
const FACTOR = 3;
const EXTRA_MS = 20_000;

/** A test that waited in vain may have done so because the machine is busy. */
const WAITED = /timeout|timed out|did not happen|never|too late|deadline/i;

export async function runMutant(
  workspace: Workspace,
  servers: Pick<SharedServers, 'env'>,
  file: string,
  code: string,
  { files }: RelatedTests,
): Promise<Trial> {
  const restore = workspace.replaceFile(join('dist', file.replace(/\.ts$/, '.js')), code);
  try {
    return await runFiles(workspace, servers, files);
  } finally {
    restore();
    workspace.clear();
  }
}

async function runFiles(
  workspace: Workspace,
  { env }: Pick<SharedServers, 'env'>,
  files: readonly MeasuredFile[],
): Promise<Trial> {
  const tests: string[] = [];
  const impatient = { ...env, TEST_PATIENCE_MS: '15000' };
  let current = await startTestProcess(workspace, impatient);
  const run = ({ path, longestMs }: MeasuredFile): Promise<RunOutcome> =>
    current.run({ file: join(workspace.folder, path) }, longestMs * FACTOR + EXTRA_MS);
  try {
    for (const file of files) {
      tests.push(file.path);
      let outcome = await run(file);
      if (outcome.type === 'result' && WAITED.test(outcome.result.failure?.message ?? '')) {
        await current.close();
        current = await startTestProcess(workspace, impatient);
        outcome = await run(file);
      }
      const trial = toTrial(outcome);
      if (trial !== null) return { ...trial, tests };
      noteTime(file, outcome);
    }
    return { outcome: 'survived', tests, test: null, message: null };
  } finally {
    await current.close();
  }
}

function noteTime(file: MeasuredFile, outcome: RunOutcome): void {
  if (outcome.type !== 'result') return;
  file.ms = Math.min(file.ms, outcome.result.ms);
  file.longestMs = Math.max(file.longestMs, outcome.result.ms);
}

/** Null where all tests passed. */
function toTrial(outcome: RunOutcome): Omit<Trial, 'tests'> | null {
  if (outcome.type === 'timeout') return { outcome: 'timeout', test: '(no end)', message: null };
  if (outcome.type === 'exit') return { outcome: 'killed', test: '(process ended)', message: outcome.reason };
  const { failure } = outcome.result;
  return failure === null ? null : { outcome: 'killed', ...failure };
}
