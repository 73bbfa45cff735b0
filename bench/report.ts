/**
 * Formats samples as a Markdown table of medians, and of medians of the ratios within each round. Counts errors, and
 * lists warnings about a generator that was near its limit.
 */
import type { Sample } from './rounds.js';
import type { Row } from './rows.js';

/** Above this share of its core, the generator may have been the limit. */
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
      const ownSamples = of(samples, row, server);
      const referenceSamples = of(samples, row, reference);
      const speeds = computeRatios(ownSamples, referenceSamples, (sample) => sample.requestsPerSecond);
      const costs = computeRatios(ownSamples, referenceSamples, (sample) => sample.cpuMicrosPerRequest);
      const cells = [
        row.title,
        server,
        Math.round(median(ownSamples.map((sample) => sample.requestsPerSecond))).toLocaleString('en'),
        server === reference
          ? '1'
          : `**${formatTwoDigits(median(speeds))}** (${formatTwoDigits(Math.min(...speeds))}..${formatTwoDigits(Math.max(...speeds))})`,
        median(ownSamples.map((sample) => sample.cpuMicrosPerRequest)).toFixed(1),
        server === reference ? '1' : formatTwoDigits(median(costs)),
        formatPercent(
          median(ownSamples.map((sample) => (sample.cpuMicrosPerRequest * sample.requestsPerSecond) / 1e6)),
        ),
        formatPercent(Math.max(...ownSamples.map((sample) => sample.generatorShare))),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

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

/** One ratio per round, to the reference of the same round. */
function computeRatios(ownSamples: Sample[], referenceSamples: Sample[], value: (sample: Sample) => number): number[] {
  return ownSamples.flatMap((sample) => {
    const other = referenceSamples.find((candidate) => candidate.round === sample.round);
    return other === undefined ? [] : [value(sample) / value(other)];
  });
}

const formatPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const formatTwoDigits = (value: number): string => value.toFixed(2);
