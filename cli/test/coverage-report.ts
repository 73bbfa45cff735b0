/** As a table for readers, LCOV for services, and JSON. */
import { createPaint } from '../colors.js';
import { alignColumns } from '../columns.js';
import type { Terminal } from '../terminal.js';
import type { CoveredItem } from './coverage.js';

/** Of the last run with `--coverage`, for the console; below the folder of the project. */
export const COVERAGE_FILE = '.lintel/coverage.json';

function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(getKey(item), [...(groups.get(getKey(item)) ?? []), item]);
  return groups;
}

const countReached = (items: readonly CoveredItem[]): string =>
  items.length === 0 ? '-' : `${items.filter(({ hits }) => hits > 0).length}/${items.length}`;

/** A row for each resource, then each place that no case reached. */
export function printCoverage(items: readonly CoveredItem[], terminal: Terminal): void {
  const { stdout } = terminal;
  const paint = createPaint(terminal);
  const groups = groupBy(items, ({ resource }) => resource);
  const rows = [...groups].map(([resource, own]) => {
    const select = (sort: CoveredItem['sort']): CoveredItem[] => own.filter((item) => item.sort === sort);
    const answers = select('resource').some(({ hits }) => hits > 0) ? 'yes' : 'no';
    const counts = (['actionable', 'refusal', 'branch'] as const).map((sort) => countReached(select(sort)));
    return [resource, answers, ...counts];
  });
  const missed = [...groups.values()].flatMap((own) => {
    const isCalled = own.some(({ hits }) => hits > 0);
    return own
      .filter(({ sort, hits }) => hits === 0 && (isCalled || sort === 'resource'))
      .map(({ file, resource, label, range: { start } }) => [
        `${file}:${start.line + 1}:${start.character + 1}`,
        isCalled ? `"${resource}": ${label}` : `"${resource}" is not called`,
      ]);
  });
  stdout.write(`\n${alignColumns(['resource', 'answers', 'actionables', 'refusals', 'branches'], rows, paint)}\n`);
  if (missed.length > 0) stdout.write(`\nno case reaches:\n${alignColumns(null, missed, paint)}\n`);
  stdout.write(`\n${items.filter(({ hits }) => hits > 0).length} of ${items.length} places reached\n`);
}

/** LCOV: a resource is a function, an actionable a line, the others are branches. */
export function formatLcov(items: readonly CoveredItem[]): string {
  const files = [...groupBy(items, ({ file }) => file)].map(([file, own]) => {
    const hitsByLine = new Map<number, number>();
    const lines = own.flatMap(({ sort, resource, range, hits }, index) => {
      const line = range.start.line + 1;
      hitsByLine.set(line, Math.max(hitsByLine.get(line) ?? 0, hits));
      if (sort === 'resource') return [`FN:${line},${resource}`, `FNDA:${hits},${resource}`];
      return sort === 'actionable' ? [] : [`BRDA:${line},0,${index},${hits}`];
    });
    const data = [...hitsByLine].sort(([a], [b]) => a - b).map(([line, hits]) => `DA:${line},${hits}`);
    return ['TN:', `SF:${file}`, ...lines, ...data, 'end_of_record', ''].join('\n');
  });
  return files.join('');
}

export function formatCoverageJson(items: readonly CoveredItem[]): string {
  const rows = items.map(({ file, resource, sort, label, range, hits }) => ({
    file,
    resource,
    sort,
    label,
    range,
    hits,
  }));
  const reached = rows.filter(({ hits }) => hits > 0).length;
  return `${JSON.stringify({ reached, of: rows.length, places: rows }, null, 2)}\n`;
}
