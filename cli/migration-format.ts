/** Formats a migration by connection and table, or as SQL. `+` added, `-` removed, `!` differs and is left alone. */
import type { MigrationOutline, MigrationStep } from '../contract/migration.js';
import type { StyleText } from '../language/source/code-frame.js';

export function formatMigration(outline: MigrationOutline, paint: StyleText): string {
  const { steps, warnings } = outline;
  const stores = [...new Set([...steps, ...warnings].map(({ store }) => store))];
  const width = Math.max(0, ...steps.map(({ change }) => change.length));
  const groups = stores.map((store) => {
    const here = {
      steps: steps.filter((step) => step.store === store),
      warnings: warnings.filter((warning) => warning.store === store),
    };
    const blocks = formatTableBlocks(here, width, paint);
    if (stores.length === 1) return blocks;
    return `${paint('bold', store.includes('.') ? store : `connection ${store}`)}: ${formatStepCounts(here)}\n${blocks}`;
  });
  return [groups.join('\n\n'), ...(groups.length > 0 ? [''] : []), formatStepCounts(outline)].join('\n').trimStart();
}

function formatTableBlocks({ steps, warnings }: MigrationOutline, width: number, paint: StyleText): string {
  const all = [...new Set([...steps, ...warnings].map(({ store, table }) => `${table} (${store})`))];
  const blocks = all.map((name) => {
    const isHere = ({ store, table }: { store: string; table: string }): boolean => `${table} (${store})` === name;
    const left = warnings
      .filter(isHere)
      .map(({ column, message }) => `  ${paint('warning', '!')} ${column === null ? '' : `${column}: `}${message}`);
    return [paint('bold', name), ...steps.filter(isHere).map((step) => formatStep(step, width, paint)), ...left].join(
      '\n',
    );
  });
  return blocks.join('\n');
}

function formatStep({ change, detail, destructive, loses }: MigrationStep, width: number, paint: StyleText): string {
  const sign = destructive ? paint('error', '-') : '+';
  return `  ${sign} ${change.padEnd(width)}  ${detail}${loses === null ? '' : `: ${paint('error', 'loses')} ${loses}`}`;
}

function formatStepCounts({ steps, warnings }: MigrationOutline): string {
  const left =
    warnings.length === 0 ? '' : `; ${warnings.length} difference${warnings.length === 1 ? '' : 's'} not changed`;
  if (steps.length === 0) return `nothing to change${left}`;
  const away = steps.filter(({ destructive }) => destructive).length;
  const taking = away === 0 ? '' : `, ${away} destructive`;
  return `${steps.length} change${steps.length === 1 ? '' : 's'} to apply${taking}${left}`;
}

export function formatMigrationScript({ steps, warnings }: MigrationOutline): string {
  const left = warnings.map(({ store, table, column, message }) => `-- ${store}: ${table} ${column ?? ''}: ${message}`);
  const script = steps.map(({ store, table, change, loses, sql }) =>
    [
      `-- ${store}: ${table}, ${change}${loses === null ? '' : `: loses ${loses}`}`,
      ...sql.map((one) => `${one};`),
    ].join('\n'),
  );
  return [...left, ...script].join('\n') || '-- nothing to change';
}
