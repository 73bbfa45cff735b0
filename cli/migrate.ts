/** `lintel migrate`: shows and applies missing schema changes. */
import type { CommandOptions } from './options.js';
import type {
  FilledIndex,
  MigrationOptions,
  MigrationOutline,
  MigrationProgress,
  MigrationStep,
} from '../contract/migration.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { fillStoreIndexes, migrateStores, outlineMigration } from '../language/project/store-changes.js';
import { bootProject } from './boot.js';
import { isConfirmed } from './confirm.js';
import { showSkippedResources } from './skipped-resources.js';
import { createLog } from './log.js';
import type { StyleText } from '../language/source/code-frame.js';
import { createPaint } from './colors.js';
import type { Terminal, Output } from './terminal.js';
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
  const needsConfirmation = isPending && !dryRun && !check;
  const applies =
    needsConfirmation && (!isDestructive(outline) || (await isConfirmed(terminal, 'Apply these changes?', yes)));
  if (applies) await apply(kernel, format, { destroy }, terminal);
  const filled =
    fill && !dryRun && !check && (applies || !isPending) ? await fillIndexes(kernel, format, terminal) : [];
  if (format === 'json')
    stdout.write(`${JSON.stringify({ ...outline, applied: applies, ...(fill && { filled }) }, null, 2)}\n`);
  const isIncomplete = filled.some(({ unopened, duplicates, reason }) => unopened + duplicates > 0 || reason !== null);
  return (check && isPending) || (needsConfirmation && !applies) || isIncomplete ? 1 : 0;
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

/** By connection and table. `+` added, `-` removed, `!` differs and is left alone. */
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
  const destructiveCount = steps.filter(({ destructive }) => destructive).length;
  const taking = destructiveCount === 0 ? '' : `, ${destructiveCount} destructive`;
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

interface Progress {
  show(text: string): void;
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TURN = 80;

/** A spinner line with elapsed seconds on a TTY, plain lines elsewhere. */
export function createProgress(stream: Output): Progress {
  if (!stream.isTTY) return { show: (text) => void stream.write(`${text}\n`), stop: () => undefined };
  let current: string | null = null;
  let turns = 0;
  let since = 0;
  const clear = (): void => void stream.write('\r\u001b[2K');
  const drawFrame = (): void => {
    if (current === null) return;
    const { columns = 0 } = stream;
    const seconds = Math.floor((performance.now() - since) / 1000);
    const line = `${FRAMES[turns++ % FRAMES.length] ?? ''} ${seconds < 1 ? '' : `${seconds} s `}${current}`;
    // Truncated, because a wrapped line cannot be cleared.
    stream.write(`\r\u001b[2K${[...line].slice(0, (columns > 0 ? columns : 80) - 1).join('')}`);
  };
  const timer = setInterval(drawFrame, TURN);
  const printCurrent = (): void => {
    if (current === null) return;
    clear();
    stream.write(`  ${current}\n`);
    current = null;
  };
  return {
    show(text) {
      printCurrent();
      current = text;
      since = performance.now();
      drawFrame();
    },
    stop() {
      clearInterval(timer);
      printCurrent();
    },
  };
}
