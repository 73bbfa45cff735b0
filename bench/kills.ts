/**
 * `--kills`: kills serving processes under load at random moments, checks the result of all work, and prints a table. One
 * fault makes the exit code 1.
 */
import { killUnderLoad } from '../test/support/kills.js';
import { evaluateKills, type KillReport } from '../test/support/kill-report.js';
import { stopPostgres } from '../test/support/postgres.js';
import { stopRedis } from '../test/support/redis.js';
import { onCleanup } from './cleanup.js';

const KILLS = 200;
/** Milliseconds between kills; 200 kills take six minutes. */
const EVERY = 1750;
const PACE = 80;

export async function measureKills(count: number | null, print: (line: string) => void): Promise<number> {
  onCleanup(stopPostgres);
  onCleanup(stopRedis);
  const kills = count ?? KILLS;
  const begun = performance.now();
  const evidence = await killUnderLoad({ kills, every: EVERY, pace: PACE, say: print });
  if ('skip' in evidence) throw new Error(evidence.skip);
  const verdict = evaluateKills(evidence);
  print(`\n${kills} kills in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes\n`);
  print(formatTable(verdict));
  for (const fault of verdict.faults.slice(0, 20)) print(`fault: ${fault}`);
  if (verdict.faults.length > 0) print(`${verdict.faults.length} faults`);
  return verdict.faults.length === 0 ? 0 : 1;
}

function formatTable({ kinds, mostDoubledByOne, dead, recovered, again }: KillReport): string {
  const formatPercentile = (values: readonly number[], part: number): string => {
    const value = [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1];
    return value === undefined ? '-' : `${(value / 1000).toFixed(1)} s`;
  };
  return [
    '| kind | requests | acknowledged | lost | done more than once |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...kinds.map((row) => `| ${row.kind} | ${row.sent} | ${row.acknowledged} | ${row.lost} | ${row.doubled} |`),
    '',
    `Done twice because of one kill: ${mostDoubledByOne} at most. Dead: ${dead}.`,
    `From a kill to a process that serves in its place: p50 ${formatPercentile(recovered, 0.5)}, p99 ${formatPercentile(recovered, 0.99)};`,
    `to the next run of what it interrupted: p50 ${formatPercentile(again, 0.5)}, p99 ${formatPercentile(again, 0.99)} (${again.length} runs).`,
  ].join('\n');
}
