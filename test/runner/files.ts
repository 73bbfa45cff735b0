/** Which test files there are, how they are named on the command line, and in which order they run: the longest first. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { globSync } from 'tinyglobby';
import { ROOT } from '../support/project.js';

const COMPILED = join(ROOT, 'dist', 'test');
/** Seconds that each file took when last measured (`npm test -- --measure`). */
const DURATIONS = join(ROOT, 'test', 'durations.json');
const UNKNOWN_SECONDS = 5;

/** `e2e/sockets` for a compiled test file. */
export const toShortName = (file: string): string =>
  relative(COMPILED, file)
    .replaceAll(sep, '/')
    .replace(/\.test\.js$/, '');

export const listFiles = (): string[] => globSync('**/*.test.js', { cwd: COMPILED, absolute: true }).sort();

/**
 * Files for the arguments of the command line: `e2e/sockets`, `test/e2e/sockets.test.ts`, `e2e`, `sockets`, a compiled
 * file.
 */
export function findFiles(words: readonly string[]): string[] {
  const all = listFiles();
  const found = words.flatMap((word) => {
    const name = word
      .replace(/^.*?\bdist[/\\]test[/\\]/, '')
      .replace(/^(.*[/\\])?test[/\\]/, '')
      .replace(/\.test\.[jt]s$/, '');
    const exact = all.filter((file) => toShortName(file) === name);
    const inside = all.filter((file) => toShortName(file).startsWith(name));
    const last = all.filter((file) => toShortName(file).endsWith(`/${name}`));
    const matching = [exact, inside, last].find((files) => files.length > 0) ?? [];
    if (matching.length === 0) throw new Error(`No test file is named "${word}". Names look like e2e/sockets.`);
    return matching;
  });
  return [...new Set(found)];
}

/**
 * Features that can differ between versions of Node: native modules, WebAssembly, crypto, streams, HTTP and sockets,
 * processes, module loading, time zones. A second version of Node runs these.
 */
const NODE_SENSITIVE = `
  architecture/bundle architecture/packages conform contracts/accessors contracts/ciphers contracts/dialects contracts/encodings
  contracts/generators contracts/hashers contracts/served contracts/storages contracts/tokens contracts/validation-types
  e2e/ciphers e2e/cli-dev e2e/cli-pipe e2e/cli-serve e2e/cli-start e2e/conform-vectors e2e/http-layer e2e/forms
  e2e/hashing e2e/http-request e2e/http-request-faults e2e/limits e2e/local-disk e2e/observers e2e/plugins e2e/proxies e2e/queues
  e2e/cli-test-sample e2e/sample e2e/sockets e2e/sockets-faults e2e/tokens e2e/upload e2e/upload-types e2e/webhooks
  language/strings/cron plugins/hashers/expensive-hashes language/export/packed-specs plugins/body-formats/spool
  plugins/queries/sql-parser language-server/idle-gc language-server/process
`
  .trim()
  .split(/\s+/);

/**
 * Files that `npm test` leaves to a check: bounds of time and memory, which need an idle machine, packages, generated documents, vectors,
 * random edits, and attacks, faults, kills and clusters, which start many processes.
 */
const IN_CHECK = `
  e2e/attacks-load e2e/canaries e2e/cli-backup e2e/cli-export e2e/cli-process e2e/cluster e2e/cluster-jobs e2e/cluster-rolling
  e2e/cluster-schedules e2e/conform-vectors e2e/deadlines-stores e2e/deploy-image e2e/document-races e2e/fair-scheduling
  e2e/faults e2e/foreign-applications-postgres e2e/http-request-faults e2e/installation e2e/job-attacks e2e/job-kills
  e2e/job-kills-two-servers e2e/kills e2e/memory e2e/queue-attacks e2e/queue-processes e2e/serial-attacks e2e/serial-races
  e2e/small-heap e2e/soak e2e/start-unavailable e2e/test-servers e2e/tutorial extension/package kernel/runtime/budget
  kernel/runtime/reused-plans language-server/completion-problems language-server/diagnostics-parity language-server/fuzz
  language-server/large-projects language-server/plugins language-server/rename-everything language-server/speed
  language-server/statement-checks language/analysis/fuzz language/export/reference plugins/hashers/expensive-hashes
  plugins/queues/queue-memory
`
  .trim()
  .split(/\s+/);

/** Throws where a name has no test file any more. */
function listNamedFiles(names: readonly string[]): string[] {
  const all = listFiles();
  return names.flatMap((name) => {
    const found = all.filter((file) => toShortName(file) === name || toShortName(file).startsWith(`${name}/`));
    if (found.length === 0) throw new Error(`No test file is named "${name}" (test/runner/files.ts).`);
    return found;
  });
}

export const listNodeSensitiveFiles = (): string[] => listNamedFiles(NODE_SENSITIVE);
export const listFilesInCheck = (): string[] => listNamedFiles(IN_CHECK);

/** Files whose large sets run as a sample, directly or through a module of test support. */
export function listSampledFiles(): string[] {
  const usesSamples = (path: string): boolean => /['"][^'"]*\/sample\.js['"]/.test(readFileSync(path, 'utf8'));
  const listImports = (path: string): string[] =>
    [...readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, name = '']) => join(dirname(path), name))
      .filter((name) => name.startsWith(COMPILED) && !name.includes('runner'));
  return listFiles().filter(
    (file) => usesSamples(file) || listImports(file).some((path) => existsSync(path) && usesSamples(path)),
  );
}

/** Seconds that a file took, and the processor time in them. */
type Duration = readonly [seconds: number, cpu: number];

export function readDurations(): Readonly<Record<string, Duration>> {
  return existsSync(DURATIONS) ? (JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, Duration>) : {};
}

export function sortLongestFirst(files: readonly string[]): string[] {
  const durations = readDurations();
  const getSeconds = (file: string): number => durations[toShortName(file)]?.[0] ?? UNKNOWN_SECONDS;
  return [...files].sort((a, b) => getSeconds(b) - getSeconds(a) || a.localeCompare(b));
}

/** Those that leave the processor to others for more than half of their time. */
export function listWaitingFiles(files: readonly string[]): Set<string> {
  const durations = readDurations();
  return new Set(
    files.filter((file) => {
      const [seconds, cpu] = durations[toShortName(file)] ?? [0, 0];
      return cpu < seconds / 2;
    }),
  );
}

/** Of files that no longer exist nothing remains. */
export function writeDurations(measured: ReadonlyMap<string, Duration>): void {
  const names = new Set(listFiles().map(toShortName));
  const rows = {
    ...readDurations(),
    ...Object.fromEntries([...measured].map(([file, row]) => [toShortName(file), row])),
  };
  const kept = Object.entries(rows).filter(([name]) => names.has(name));
  const lines = kept
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, [seconds, cpu]]) => `  ${JSON.stringify(name)}: [${seconds.toFixed(1)}, ${cpu.toFixed(1)}]`);
  writeFileSync(DURATIONS, `{\n${lines.join(',\n')}\n}\n`);
}
