/** Collects measured values by row and server, formats them as a table, and compares them with bounds. */
import { median } from '../report.js';
import type { Side } from './sides.js';

export interface FigureRow {
  readonly name: string;
  readonly unit: 'ms' | 'MiB';
  /** The most that Lintel may take; null: no bound. */
  readonly bound: number | null;
  /** The bound is for the 95th percentile, not for the median. */
  readonly isOfMost?: boolean;
  /** The most CPU milliseconds of Lintel for one operation. */
  readonly cpuBound?: number;
}

interface Entry {
  readonly row: FigureRow;
  readonly values: Map<Side['name'], Figures>;
}

interface Figures {
  readonly all: number[];
  /** CPU milliseconds for one operation, by visit. */
  readonly cpu: number[];
}

export interface Book {
  add(row: FigureRow, side: Side, values: readonly number[], cpuMs?: number): void;
  /** For the JSON report. */
  readonly entries: ReadonlyMap<string, Entry>;
  formatTable(): string;
  /** Describes the rows of Lintel without a value or over a bound. */
  listExceeded(): readonly string[];
}

export function createBook(): Book {
  const entries = new Map<string, Entry>();
  const of = ({ values }: Entry, side: Side['name']): readonly number[] => values.get(side)?.all ?? [];
  return {
    entries,
    add(row, side, values, cpuMs) {
      const entry: Entry = entries.get(row.name) ?? { row, values: new Map<Side['name'], Figures>() };
      const mine = entry.values.get(side.name) ?? { all: [], cpu: [] };
      mine.all.push(...values);
      if (cpuMs !== undefined) mine.cpu.push(cpuMs);
      entry.values.set(side.name, mine);
      entries.set(row.name, entry);
    },
    formatTable() {
      const lines = [
        '| row | lintel (min..max) | JSON service (min..max) | lintel / JSON | CPU lintel | CPU JSON | bound |',
        '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ];
      for (const entry of entries.values()) {
        const { row, values } = entry;
        const [ours, theirs] = [of(entry, 'lintel'), of(entry, 'json')];
        const ratio = ours.length * theirs.length === 0 ? '' : `**${(median(ours) / median(theirs)).toFixed(2)}**`;
        const cells = [
          row.name,
          formatValues(ours, row.unit),
          formatValues(theirs, row.unit),
          ratio,
          formatCpu(values.get('lintel')?.cpu),
          formatCpu(values.get('json')?.cpu),
          formatBounds(row),
        ];
        lines.push(`| ${cells.join(' | ')} |`);
      }
      return lines.join('\n');
    },
    listExceeded: () =>
      [...entries.values()].flatMap((entry) => {
        const { name, bound, unit, isOfMost, cpuBound } = entry.row;
        const ours = of(entry, 'lintel');
        const found = isOfMost === true ? findPercentile(ours, 0.95) : median(ours);
        if (Number.isNaN(found)) return [`${name}: no value`];
        const cpu = median(entry.values.get('lintel')?.cpu ?? []);
        return [
          ...(bound !== null && found > bound ? [`${name}: ${found.toFixed(1)} ${unit}, bound ${bound} ${unit}`] : []),
          ...(cpuBound !== undefined && cpu > cpuBound
            ? [`${name}: ${cpu.toFixed(1)} ms CPU, bound ${cpuBound} ms`]
            : []),
        ];
      }),
  };
}

const formatValues = (values: readonly number[], unit: string): string =>
  values.length === 0
    ? 'does not know'
    : `${median(values).toFixed(1)} ${unit}${formatMost(values)} (${Math.min(...values).toFixed(1)}..${Math.max(...values).toFixed(1)})`;

/** With fewer values, the 95th percentile is the maximum. */
const MANY = 20;

const formatMost = (values: readonly number[]): string =>
  values.length < MANY ? '' : `, p95 ${findPercentile(values, 0.95).toFixed(1)}`;

/** Nearest-rank percentile. */
function findPercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}

const formatBounds = ({ bound, unit, isOfMost, cpuBound }: FigureRow): string =>
  [
    bound === null ? [] : `${isOfMost === true ? 'p95 ' : ''}${bound} ${unit}`,
    cpuBound === undefined ? [] : `CPU ${cpuBound} ms`,
  ]
    .flat()
    .join(', ');

const formatCpu = (values: readonly number[] | undefined): string =>
  values === undefined || values.length === 0 ? '' : `${median(values).toFixed(1)} ms`;

export interface EditorMeasurement {
  readonly book: Book;
  readonly side: Side;
  readonly folder: string;
}

export const KEYSTROKES = 15;
/** Edits of each kind in the large project, and the most CPU milliseconds of one. */
export const LARGE_EDITS = 25;
export const EDIT_CPU = 40;
export const LARGE = '2,000 resources, 200 models';

export const createTimeRow = (name: string, bound: number | null): FigureRow => ({ name, unit: 'ms', bound });
/** An edit in the large project, with bounds for the 95th percentile and for CPU time. */
export const createEditRow = (name: string, bound: number, cpuBound: number | null = EDIT_CPU): FigureRow => ({
  ...{ name: `${LARGE}: ${name}`, unit: 'ms', bound, isOfMost: true },
  ...(cpuBound !== null && { cpuBound }),
});
export const createMemoryRow = (name: string, bound: number | null): FigureRow => ({ name, unit: 'MiB', bound });
