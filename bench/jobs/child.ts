/**
 * One measurement of one queue in a separate process: jobs are added, then run, and each must have run exactly once.
 * Prints the figures as one line of JSON.
 */
import { openSide, type SideName } from './sides.js';
import type { Address } from '../../test/support/queues.js';

export interface QueueRun {
  readonly side: SideName;
  readonly address: Address;
  readonly count: number;
  /** Number of concurrent additions. */
  readonly atOnce: number;
}

export interface Phase {
  readonly jobsPerSecond: number;
  readonly cpuMicrosPerJob: number;
}

export interface QueueFigures {
  readonly add: Phase;
  readonly run: Phase;
}

async function measurePhase(count: number, work: () => Promise<void>): Promise<Phase> {
  const [begun, used] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(used);
  return { jobsPerSecond: count / seconds, cpuMicrosPerJob: (user + system) / count };
}

async function measureQueue({ side, address, atOnce }: QueueRun, count: number, round: string): Promise<QueueFigures> {
  const opened = await openSide(side, address);
  try {
    const ids = Array.from({ length: count }, (_, n) => `${round} ${n}`);
    const add = await measurePhase(count, async () => {
      const left = ids.values();
      const addJobs = async (): Promise<void> => {
        for (const id of left) await opened.add(id);
      };
      await Promise.all(Array.from({ length: atOnce }, addJobs));
    });
    expectCount(await opened.countStored(), count, 'jobs in the store after adding');
    const effects = new Map(ids.map((id) => [id, 0]));
    const run = await measurePhase(count, () =>
      opened.run(count, (id) => effects.set(id, (effects.get(id) ?? NaN) + 1)),
    );
    const wrong = [...effects].filter(([, times]) => times !== 1);
    if (wrong.length > 0) throw new Error(`did not run exactly once: ${JSON.stringify(wrong.slice(0, 5))}`);
    expectCount(await opened.countStored(), 0, 'jobs in the store after running');
    return { add, run };
  } finally {
    await opened.close();
  }
}

function expectCount(found: number, wanted: number, what: string): void {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
}

const run = JSON.parse(process.argv[2] ?? '') as QueueRun;
// The first run compiles code and creates tables.
await measureQueue(run, Math.ceil(run.count / 5), 'warm-up');
console.log(JSON.stringify(await measureQueue(run, run.count, 'job')));
process.exit(0);
