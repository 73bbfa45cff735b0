/** `lintel migrate`: shows and applies missing schema changes through the stores. Serves nothing. */
import type { CommandOptions } from './options.js';
import type { FilledIndex, MigrationOptions, MigrationOutline, MigrationProgress } from '../contract/migration.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { fillStoreIndexes, migrateStores, outlineMigration } from '../language/project/store-changes.js';
import { bootProject } from './boot.js';
import { isConfirmed } from './confirm.js';
import { showSkippedResources } from './skipped-resources.js';
import { createLog } from './log.js';
import { formatMigrationScript, formatMigration } from './migration-format.js';
import { createPaint } from './colors.js';
import { createProgress } from './progress.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

const FORMATS = ['pretty', 'json'];

export async function runMigrate(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { format = 'pretty' } = options;
  if (!FORMATS.includes(format)) {
    terminal.stderr.write(`--format takes ${FORMATS.join(', ')}; not "${format}".\n`);
    return 2;
  }
  const log = await createLog(terminal);
  // Results are printed here, so the log is limited to errors.
  log.level = 'error';
  const project = await loadTrustedProject('migrate', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const booted = await bootProject(terminal, project, { log, connect: 'stores' });
  if (booted === null) return 1;
  const { kernel } = booted;
  try {
    showSkippedResources(kernel, terminal);
    return await showMigration(kernel, options, terminal);
  } finally {
    await kernel.close('done');
  }
}

async function showMigration(kernel: Kernel, options: CommandOptions, terminal: Terminal): Promise<number> {
  const { dryRun, check, sql, destroy, fill, yes, format = 'pretty' } = options;
  const { stdout } = terminal;
  const outline = await outlineMigration(kernel.schemas(), { destroy });
  const isPending = outline.steps.length > 0;
  if (format === 'pretty') {
    stdout.write(`${sql ? formatMigrationScript(outline) : formatMigration(outline, createPaint(terminal))}\n`);
  }
  const asked = isPending && !dryRun && !check;
  const applies = asked && (!isDestructive(outline) || (await isConfirmed(terminal, 'Apply these changes?', yes)));
  if (applies) await apply(kernel, format, { destroy }, terminal);
  const filled =
    fill && !dryRun && !check && (applies || !isPending) ? await fillIndexes(kernel, format, terminal) : [];
  if (format === 'json')
    stdout.write(`${JSON.stringify({ ...outline, applied: applies, ...(fill && { filled }) }, null, 2)}\n`);
  const isIncomplete = filled.some(({ unopened, duplicates, reason }) => unopened + duplicates > 0 || reason !== null);
  return (check && isPending) || (asked && !applies) || isIncomplete ? 1 : 0;
}

const isDestructive = ({ steps }: MigrationOutline): boolean => steps.some(({ destructive }) => destructive);

async function apply(kernel: Kernel, format: string, how: MigrationOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr } = terminal;
  const started = performance.now();
  // With JSON output, progress goes to stderr.
  const progress = createProgress(format === 'json' ? stderr : stdout);
  let count = 0;
  try {
    const showStep: MigrationProgress = (step, at, of) => {
      count += 1;
      progress.show(`${at}/${of} ${step.table}: ${step.change} ${step.detail}`);
    };
    await migrateStores(kernel.schemas(), showStep, how);
  } finally {
    progress.stop();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (format === 'pretty') stdout.write(`${count} change${count === 1 ? '' : 's'} applied in ${seconds} s\n`);
}

async function fillIndexes(
  kernel: Kernel,
  format: string,
  { stdout, stderr }: Terminal,
): Promise<readonly FilledIndex[]> {
  const progress = createProgress(format === 'json' ? stderr : stdout);
  try {
    const filled = await fillStoreIndexes(kernel.schemas(), ({ table, column, filled: rows }) =>
      progress.show(`${table}.${column}: ${rows} rows have a blind index now`),
    );
    progress.stop();
    if (format === 'pretty') for (const one of filled) stdout.write(`${formatFilled(one)}\n`);
    return filled;
  } finally {
    progress.stop();
  }
}

function formatFilled({ table, column, filled, unopened, duplicates, reason }: FilledIndex): string {
  if (reason !== null) return `! ${table}.${column}: blind index not filled, because ${reason}`;
  const left = [
    unopened === 0 ? '' : `; ${unopened} left, which no key of the definitions opens`,
    duplicates === 0 ? '' : `; ${duplicates} left, whose value another row has`,
  ].join('');
  return `${left === '' ? '+' : '!'} ${table}.${column}: blind index of ${filled} row${filled === 1 ? '' : 's'} filled${left}`;
}
