/**
 * From samples to a Markdown table: medians, and ratios that were taken within a round before the median was. It judges
 * two things only: errors, which void a run, and a generator that was near its limit.
 */
import type { Sample } from './rounds.js';
import type { Row } from './rows.js';

/** Above this part of its core the generator may have been the limit, not the server. */
const generatorLimit = 0.7;

export function formatReportTable(
  samples: readonly Sample[],
  rows: readonly Row[],
  servers: readonly string[],
): string {
  const [reference = '', ...others] = servers;
  const lines = [
    `| row | server | requests/s | × ${reference} (min..max) | CPU µs/request | × ${reference} | server core | generator |`,
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const row of rows) {
    for (const server of [reference, ...others]) {
      const mine = of(samples, row, server);
      const yardstick = of(samples, row, reference);
      const speeds = computeRatios(mine, yardstick, (sample) => sample.requestsPerSecond);
      const costs = computeRatios(mine, yardstick, (sample) => sample.cpuMicrosPerRequest);
      const cells = [
        row.title,
        server,
        Math.round(median(mine.map((sample) => sample.requestsPerSecond))).toLocaleString('en'),
        server === reference
          ? '1'
          : `**${formatTwoDigits(median(speeds))}** (${formatTwoDigits(Math.min(...speeds))}..${formatTwoDigits(Math.max(...speeds))})`,
        median(mine.map((sample) => sample.cpuMicrosPerRequest)).toFixed(1),
        server === reference ? '1' : formatTwoDigits(median(costs)),
        formatPercent(median(mine.map((sample) => (sample.cpuMicrosPerRequest * sample.requestsPerSecond) / 1e6))),
        formatPercent(Math.max(...mine.map((sample) => sample.generatorShare))),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

/** What a reader must know before believing the table. */
export function listWarnings(samples: readonly Sample[]): string[] {
  const busy = samples.filter((sample) => sample.generatorShare >= generatorLimit);
  const cells = new Set(busy.map((sample) => `${sample.row} on ${sample.server}`));
  return [...cells].map(
    (cell) => `${cell}: the generator used ${generatorLimit * 100} % of its core or more and may have been the limit`,
  );
}

export function countErrors(samples: readonly Sample[]): number {
  return samples.reduce((sum, sample) => sum + sample.errors, 0);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

function of(samples: readonly Sample[], row: Row, server: string): Sample[] {
  return samples.filter((sample) => sample.row === row.name && sample.server === server);
}

/** One ratio per round, each against the reference of the same round. */
function computeRatios(mine: Sample[], yardstick: Sample[], value: (sample: Sample) => number): number[] {
  return mine.flatMap((sample) => {
    const other = yardstick.find((candidate) => candidate.round === sample.round);
    return other === undefined ? [] : [value(sample) / value(other)];
  });
}

const formatPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const formatTwoDigits = (value: number): string => value.toFixed(2);
