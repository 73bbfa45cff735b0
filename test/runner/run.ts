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
import { createPool, type PoolListener, type PoolOptions } from './pool.js';
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
  --node FILE      the program of another Node, for the tests and what they start
  --second-node FILE  the same for what a version of Node can change, in addition to this one
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
    node: { type: 'string' },
    'second-node': { type: 'string' },
    measure: { type: 'boolean', default: false },
    rows: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
/** One of the files is a soak of ten minutes. */
const DEEP_PATIENCE_MS = 1_200_000;
/** Between the name of a file and the version of the second Node. */
const VERSION_MARK = ' on Node ';
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** All files on a developer machine: `npm run test:all` runs the omitted ones. */
const isShort = positionals.length === 0 && !values.deep && process.env['CI'] !== 'true';

if (values.help) {
  print(USAGE);
} else {
  const all = values.deep ? listSampledFiles() : listFiles();
  const named = positionals.length > 0 ? findFiles(positionals) : all;
  const skipped = new Set(values.skip.length > 0 ? findFiles(values.skip) : []);
  if (isShort) for (const file of listFilesInCheck()) skipped.add(file);
  await run(sortLongestFirst(named.filter((file) => !skipped.has(file))));
}

async function run(files: readonly string[]): Promise<void> {
  const jobs = Math.min(files.length, Number(values.jobs ?? Math.min(availableParallelism(), 4)));
  const timeout = values.timeout === undefined ? null : Number(values.timeout);
  const seed = values.seed ?? process.env['TEST_SEED'] ?? readCommit();
  const second = values['second-node'];
  const sensitive = second === undefined ? [] : listNodeSensitiveFiles();
  const others = files.filter((file) => sensitive.includes(file));
  const repetition = ` --seed ${seed}${values.deep ? ' --deep' : ''}`;
  const formatCommand = (name: string): string => {
    const [file = '', version] = name.split(VERSION_MARK);
    const node = version === undefined ? values.node : second;
    return `npm test -- ${file}${node === undefined ? '' : ` --node ${node}`}${repetition}`;
  };
  const report = createReport(print, files.length <= 3, formatCommand);
  const results = new Map<string, FileResult>();
  const listener = {
    ...report,
    onFileDone(file: string, result: FileResult) {
      results.set(file, result);
      report.onFileDone(file, result);
    },
  };
  const options: PoolOptions = {
    jobs,
    grep: values.grep ?? null,
    timeout,
    ...(values.deep && { patience: DEEP_PATIENCE_MS }),
    ...(timeout === 0 && { patience: 0 }),
  };
  const pool = createPool({ ...options, node: values.node }, listener);
  // Large sets ran in full on the first version.
  const secondPool = createPool(
    { ...options, jobs: 1, node: second, env: { TEST_DEEP: '' } },
    markFiles(listener, second === undefined ? '' : execFileSync(second, ['--version'], { encoding: 'utf8' }).trim()),
  );
  let isInterrupted = false;
  const stopOnSignal = (): void => {
    isInterrupted = true;
    pool.stop();
    secondPool.stop();
  };
  // npm and `timeout` pass a signal on that the terminal has sent to every process already.
  process.on('SIGINT', stopOnSignal).on('SIGTERM', stopOnSignal);
  const areas = values.deep ? ['all'] : isShort ? [] : listChangedAreas();
  Object.assign(process.env, { TEST_SEED: seed, TEST_DEEP: areas.join(','), TEST_SHORT: isShort ? '1' : '' });
  report.begin(files.length + others.length, jobs);
  print(`large tests: ${areas.length > 0 ? `in full: ${areas.join(', ')}; others ` : ''}sampled by --seed ${seed}`);
  if (isShort)
    print(
      'left out: bounds, packages, generated documents, random edits, kills, outages, clusters; npm run test:all runs them',
    );
  // The slowest to start by far: no file should wait for it.
  if (positionals.length === 0) void findServer('s3');
  // An explicit number of workers is used unchanged.
  const waiting = values.jobs === undefined ? listWaitingFiles(files) : new Set<string>();
  // What is left then mostly waits, so there is time for another worker.
  let secondRun: Promise<void> | undefined;
  await pool.run(files, waiting, () => (secondRun = secondPool.run(others)));
  await secondRun;
  await stopServers();
  if (values.measure) writeDurations(new Map([...results].map(([file, { seconds, cpu }]) => [file, [seconds, cpu]])));
  if (values.rows !== undefined) {
    const rows = [...results].map(([file, result]) => [toShortName(file), result] as const);
    writeFileSync(values.rows, JSON.stringify(Object.fromEntries(rows), null, 1));
  }
  process.exitCode = report.printSummary(isInterrupted);
  if (values.deep && positionals.length === 0 && process.exitCode === 0) recordDeepRun();
}

/** Names its files with the version of Node. */
function markFiles(listener: PoolListener, version: string): PoolListener {
  const mark = (file: string): string => file.replace(/\.test\.js$/, `${VERSION_MARK}${version}.test.js`);
  return {
    onTest: (file, ...rest) => listener.onTest(mark(file), ...rest),
    onSkip: (file, reason) => listener.onSkip(mark(file), reason),
    onFailure: (file, failure) => listener.onFailure(mark(file), failure),
    onFileDone: (file, result) => listener.onFileDone(mark(file), result),
  };
}

function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // A source archive without a history.
    return '1';
  }
}
