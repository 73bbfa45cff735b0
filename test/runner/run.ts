/**
 * The test command: runs the named files, or all, in several processes, and ends with the line `N passed, N failed, N
 * skipped`. The exit code is 0 only if a test ran and none failed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { listChangedAreas, recordDeepRun } from './deep.js';
import {
  listFiles,
  findFiles,
  sortLongestFirst,
  listFilesInCheck,
  listNodeSensitiveFiles,
  listSampledFiles,
  toShortName,
  listWaitingFiles,
  writeDurations,
} from './files.js';
import type { FileResult } from './messages.js';
import { createPool } from './pool.js';
import { createReport } from './report.js';
import { findServer, stopServers } from './servers.js';

const USAGE = `npm test -- [FILE...] [options]
  FILE             e2e/sockets, test/e2e/sockets.test.ts, or a folder; all without one
  --grep PATTERN   only tests whose full title matches
  --jobs N         processes (default: one for each core, at most 4)
  --skip FOLDER    leave out a file or folder; may be repeated
  --timeout MS     for each test; 0 for none
  --deep           the files with large tests, in full; records in test/deep.json that they passed
  --seed SEED      chooses the samples of large tests (default: the commit)
  --node-versions  only what a version of Node can change
  --measure        write what each file took to test/durations.json
  --rows FILE      write seconds, processor time and counts of each file as JSON`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    grep: { type: 'string' },
    jobs: { type: 'string' },
    skip: { type: 'string', multiple: true, default: [] },
    timeout: { type: 'string' },
    deep: { type: 'boolean', default: false },
    seed: { type: 'string' },
    'node-versions': { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
    rows: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
/** One of the files is a soak of ten minutes. */
const DEEP_PATIENCE_MS = 1_200_000;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** All files on a developer machine: `npm run test:all` runs the omitted ones. */
const isShort = positionals.length === 0 && !values.deep && process.env['CI'] !== 'true';

if (values.help) {
  print(USAGE);
} else {
  const all = values['node-versions'] ? listNodeSensitiveFiles() : values.deep ? listSampledFiles() : listFiles();
  const named = positionals.length > 0 ? findFiles(positionals) : all;
  const skipped = new Set(values.skip.length > 0 ? findFiles(values.skip) : []);
  if (isShort) for (const file of listFilesInCheck()) skipped.add(file);
  await run(sortLongestFirst(named.filter((file) => !skipped.has(file))));
}

async function run(files: readonly string[]): Promise<void> {
  const jobs = Math.min(files.length, Number(values.jobs ?? Math.min(availableParallelism(), 4)));
  const timeout = values.timeout === undefined ? null : Number(values.timeout);
  const seed = values.seed ?? process.env['TEST_SEED'] ?? readCommit();
  const report = createReport(print, files.length <= 3, `--seed ${seed}${values.deep ? ' --deep' : ''}`);
  const results = new Map<string, FileResult>();
  const listener = {
    ...report,
    onFileDone(file: string, result: FileResult) {
      results.set(file, result);
      report.onFileDone(file, result);
    },
  };
  const pool = createPool(
    {
      jobs,
      grep: values.grep ?? null,
      timeout,
      ...(values.deep && { patience: DEEP_PATIENCE_MS }),
      ...(timeout === 0 && { patience: 0 }),
    },
    listener,
  );
  let isInterrupted = false;
  const stopOnSignal = (): void => {
    isInterrupted = true;
    pool.stop();
  };
  // npm and `timeout` pass a signal on that the terminal has sent to every process already.
  process.on('SIGINT', stopOnSignal).on('SIGTERM', stopOnSignal);
  const areas = values.deep ? ['all'] : isShort ? [] : listChangedAreas();
  Object.assign(process.env, { TEST_SEED: seed, TEST_DEEP: areas.join(','), TEST_SHORT: isShort ? '1' : '' });
  report.begin(files.length, jobs);
  print(`large tests: ${areas.length > 0 ? `in full: ${areas.join(', ')}; others ` : ''}sampled by --seed ${seed}`);
  if (isShort)
    print(
      'left out: bounds, packages, generated documents, random edits, kills, outages, clusters; npm run test:all runs them',
    );
  // The slowest to start by far: no file should wait for it.
  if (positionals.length === 0) void findServer('s3');
  // An explicit number of workers is used unchanged.
  await pool.run(files, values.jobs === undefined ? listWaitingFiles(files) : new Set());
  await stopServers();
  if (values.measure) writeDurations(new Map([...results].map(([file, { seconds, cpu }]) => [file, [seconds, cpu]])));
  if (values.rows !== undefined) {
    const rows = [...results].map(([file, result]) => [toShortName(file), result] as const);
    writeFileSync(values.rows, JSON.stringify(Object.fromEntries(rows), null, 1));
  }
  process.exitCode = report.printSummary(isInterrupted);
  if (values.deep && positionals.length === 0 && process.exitCode === 0) recordDeepRun();
}

function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // A source archive without a history.
    return '1';
  }
}
