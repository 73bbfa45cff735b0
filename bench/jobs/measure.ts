/**
 * `--jobs`: jobs added, run and accepted per second, by store, in Lintel and in Agenda with its own backend. The table
 * has medians of interleaved rounds; a job that did not run exactly once makes the run invalid.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findLoadGenerator } from '../load.js';
import { findPinnableCores, pinCommand } from '../proc.js';
import { median } from '../report.js';
import { rotateItems } from '../rounds.js';
import { root } from '../targets.js';
import { measureAccepting } from './accepting.js';
import type { QueueFigures, QueueRun, Phase } from './child.js';
import type { SideName } from './sides.js';
import { openStores, type Store } from './stores.js';

export interface JobOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Names of stores; null: all. */
  readonly rows: readonly string[] | null;
  readonly durable: boolean;
}

/** Limit of one process in milliseconds; an emulated server is slow. */
const LONGEST = 240_000;

const WHAT = { add: 'add', run: 'run', accept: 'accept (202)' } as const;
type What = keyof typeof WHAT;

interface Figure extends Phase {
  readonly store: string;
  readonly what: What;
  readonly side: SideName;
  readonly round: number;
}

async function measureInChild(store: Store, side: SideName, core: number | undefined): Promise<QueueFigures> {
  const { address } = await store.createPlace();
  const run: QueueRun = { side, address, count: store.count, atOnce: store.atOnce };
  const words = [process.execPath, join(root, 'dist/bench/jobs/child.js'), JSON.stringify(run)];
  const [program = '', ...args] = pinCommand(core, words);
  const running = promisify(execFile)(program, args, { timeout: LONGEST, cwd: root });
  const { stdout } = await running.catch((error: Error & { readonly killed?: boolean }) => {
    throw error.killed === true ? new Error(`${side} on ${store.name} took longer than ${LONGEST / 1000} s`) : error;
  });
  return JSON.parse(stdout) as QueueFigures;
}

const listSides = ({ compared }: Store): readonly SideName[] => (compared ? ['agenda', 'lintel'] : ['lintel']);

export async function measureJobs(folder: string, options: JobOptions, print: (line: string) => void): Promise<number> {
  const cores = findPinnableCores();
  const given = { folder, core: cores?.rest, durable: options.durable };
  const stores = await openStores(options.rows, given, print);
  const { fire, name } = findLoadGenerator(folder, cores?.rest);
  for (const store of stores) print(`${store.name}: ${store.about}; ${store.count} jobs, ${store.atOnce} at once`);
  print(`${name}, ${options.rounds} rounds${cores === null ? '; roles not pinned to cores' : ''}\n`);
  const figures: Figure[] = [];
  let isVoid = false;
  // Each process has its own warm-up.
  for (let round = 0; round < options.rounds; round++) {
    for (const store of rotateItems(stores, round)) {
      for (const side of rotateItems(listSides(store), round)) {
        const { add, run } = await measureInChild(store, side, cores?.server);
        const accepted = await measureAccepting({ store, side, core: cores?.server, seconds: options.seconds, fire });
        for (const [what, phase] of Object.entries({ add, run, accept: accepted }) as [What, Phase | string][]) {
          if (typeof phase === 'string') {
            isVoid = true;
            print(`round ${round + 1}  ${store.name}  ${WHAT[what]}  ${side}: VOID: ${phase}`);
            continue;
          }
          figures.push({ store: store.name, what, side, round, ...phase });
          print(`round ${round + 1}  ${store.name}  ${WHAT[what]}  ${side}: ${formatPhase(phase)}`);
        }
      }
    }
  }
  print(`\n${formatTable(figures, stores)}`);
  if (isVoid) print('\nfailed: some measurements are void');
  return isVoid ? 1 : 0;
}

const formatPhase = ({ jobsPerSecond, cpuMicrosPerJob }: Phase): string =>
  `${jobsPerSecond.toFixed(0)} jobs/s, ${cpuMicrosPerJob.toFixed(0)} µs CPU each`;

function formatTable(figures: readonly Figure[], stores: readonly Store[]): string {
  const lines = [
    '| store | what | agenda: jobs/s | CPU µs/job | lintel: jobs/s | × agenda (min..max) | CPU µs/job | × agenda |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const { name } of stores) {
    for (const what of Object.keys(WHAT) as What[]) {
      const of = (side: SideName): Figure[] =>
        figures.filter((one) => one.store === name && one.what === what && one.side === side);
      const [theirs, ours] = [of('agenda'), of('lintel')];
      const computeRatios = (key: keyof Phase): number[] =>
        ours.flatMap((one) => theirs.filter(({ round }) => round === one.round).map((other) => one[key] / other[key]));
      const formatMedian = (from: readonly Figure[], key: keyof Phase): string =>
        from.length === 0 ? '-' : Math.round(median(from.map((one) => one[key]))).toLocaleString('en');
      const speeds = computeRatios('jobsPerSecond');
      const cells = [
        name,
        WHAT[what],
        formatMedian(theirs, 'jobsPerSecond'),
        formatMedian(theirs, 'cpuMicrosPerJob'),
        formatMedian(ours, 'jobsPerSecond'),
        speeds.length === 0
          ? '-'
          : `**${median(speeds).toFixed(2)}** (${Math.min(...speeds).toFixed(2)}..${Math.max(...speeds).toFixed(2)})`,
        formatMedian(ours, 'cpuMicrosPerJob'),
        speeds.length === 0 ? '-' : median(computeRatios('cpuMicrosPerJob')).toFixed(2),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}
