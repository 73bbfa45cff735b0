/**
 * Processor time, in milliseconds: for bounds that must hold on a machine with other load, where elapsed time says
 * little.
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * Processor time of the thread by Linux, without the collector's own threads: on an idle machine, the elapsed time. It
 * counts in ticks of at most 10 ms, so the measured work must take much longer.
 */
const SCHEDULER = '/proc/thread-self/schedstat';
const isCounted = existsSync(SCHEDULER);

function cpuNow(): number {
  if (isCounted) return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const SAMPLE = JSON.stringify(
  Array.from({ length: 4000 }, (_, id) => ({
    id,
    name: `name ${id}`,
    tags: [id, `${id * 7}`],
    nested: { at: id / 3 },
  })),
);
/** Processor time of one round on a machine of 2024 that does nothing else, in milliseconds. */
const ROUND_MS = 8;
const ROUNDS = 4;

function roundTime(): number {
  const before = cpuNow();
  for (let round = 0; round < ROUNDS; round++) {
    const names = new Map<string, number>();
    for (const { id, name } of JSON.parse(SAMPLE) as { id: number; name: string }[]) names.set(name, id);
    JSON.stringify([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return (cpuNow() - before) / ROUNDS;
}

let measured = { at: -Infinity, slowness: 1 };

/**
 * How many times slower this machine is at this moment than an idle one: processes that share a cache or a core take processor
 * time from each other. Never below 1.
 */
function measureSlowness(): number {
  const at = performance.now();
  if (at - measured.at > 1000) measured = { at, slowness: Math.max(1, Math.min(roundTime(), roundTime()) / ROUND_MS) };
  return measured.slowness;
}

/** As an idle machine would need it. */
export function measureCpuTime(work: () => unknown): number {
  const before = cpuNow();
  work();
  return (cpuNow() - before) / measureSlowness();
}

/** As `cpuTime`, of everything that this thread does until the work is over. */
export async function measureAsyncCpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = cpuNow();
  await work();
  return (cpuNow() - before) / measureSlowness();
}

/**
 * The minimum of several rounds, each of `times` calls, for one call. Other load makes a round longer, never shorter: a
 * round below the bound decides, and is the last.
 */
export function measureLeastCpuTime(
  { rounds, bound, times = 1 }: { rounds: number; bound: number; times?: number },
  work: () => unknown,
): number {
  const measureRound = (): number => measureCpuTime(() => Array.from({ length: times }, () => void work())) / times;
  // The first one warms up.
  let least = measureRound();
  for (let round = 0; round < rounds && least >= bound; round++) least = Math.min(least, measureRound());
  return least;
}
