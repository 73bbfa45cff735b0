/** `lintel migrate`: shows what the tables lack, and adds it. The stores do the work; nothing is served. */
import type { CommandOptions } from './commands.js';
import type { MigrationOutline } from '../contract/migration.js';
import type { Kernel } from '../runtime/kernel.js';
import { boot } from './boot.js';
import { showLeftOut } from './left-out.js';
import { createLog } from './log.js';
import { paint } from './paint.js';
import { createProgress } from './progress.js';

const FORMATS = ['pretty', 'json'];

export async function migrate(options: CommandOptions): Promise<number> {
  const { config, format = 'pretty', dryRun, check, sql } = options;
  if (!FORMATS.includes(format)) {
    process.stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const log = await createLog();
  // What is found and done is printed here; the log would say it twice.
  log.level = 'error';
  const booted = await boot(config, { log, connect: 'stores' });
  if (booted === null) return 1;
  const { kernel } = booted;
  try {
    showLeftOut(kernel);
    const outline = await kernel.outline();
    const isPending = outline.steps.length > 0;
    const applies = isPending && !dryRun && !check;
    if (format === 'pretty') process.stdout.write(`${sql ? statements(outline) : words(outline)}\n`);
    if (applies) await apply(kernel, format);
    if (format === 'json') process.stdout.write(`${JSON.stringify({ ...outline, applied: applies }, null, 2)}\n`);
    return check && isPending ? 1 : 0;
  } finally {
    await kernel.close('done');
  }
}

async function apply(kernel: Kernel, format: string): Promise<void> {
  const started = performance.now();
  // Progress is for people; beside JSON it must not stand on stdout.
  const progress = createProgress(format === 'json' ? process.stderr : process.stdout);
  let count = 0;
  try {
    await kernel.migrate((step, at, of) => {
      count += 1;
      progress.show(`${at}/${of} ${step.table}: ${step.change} ${step.detail}`);
    });
  } finally {
    progress.end();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (format === 'pretty') process.stdout.write(`${count} change${count === 1 ? '' : 's'} made in ${seconds} s\n`);
}

/** Table by table: `+` what is added, `!` what differs and is left. */
function words({ steps, warnings }: MigrationOutline): string {
  const all = [...steps, ...warnings].map(({ store, table }) => `${table} (${store})`);
  const width = Math.max(0, ...steps.map(({ change }) => change.length));
  const blocks = [...new Set(all)].map((name) => {
    const isHere = ({ store, table }: { store: string; table: string }): boolean => `${table} (${store})` === name;
    const added = steps.filter(isHere).map(({ change, detail }) => `  + ${change.padEnd(width)}  ${detail}`);
    const left = warnings
      .filter(isHere)
      .map(({ column, message }) => `  ${paint('warning', '!')} ${column === null ? '' : `${column}: `}${message}`);
    return [paint('bold', name), ...added, ...left].join('\n');
  });
  return [...blocks, `${blocks.length > 0 ? '\n' : ''}${counted(steps.length, warnings.length)}`].join('\n');
}

function counted(changes: number, warnings: number): string {
  const left = warnings === 0 ? '' : `; ${warnings} difference${warnings === 1 ? '' : 's'} left as they are`;
  if (changes === 0) return `nothing to change${left}`;
  return `${changes} change${changes === 1 ? '' : 's'} to make${left}`;
}

/** A script: statements with a comment above each step. */
function statements({ steps, warnings }: MigrationOutline): string {
  const left = warnings.map(({ store, table, column, message }) => `-- ${store}: ${table} ${column ?? ''}: ${message}`);
  const script = steps.map(({ store, table, change, sql }) =>
    [`-- ${store}: ${table}, ${change}`, ...sql.map((one) => `${one};`)].join('\n'),
  );
  return [...left, ...script].join('\n') || '-- nothing to change';
}
