/** `lintel dev`: serves the valid resources, watches the files, and prints problems after each change. */
import { watch, type FSWatcher } from 'chokidar';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Paint } from '../source/frame.js';
import type { CommandOptions } from './commands.js';
import { findDefinitions } from '../project/definition-files.js';
import { SCRIPTS_FOLDER } from '../project/scripts.js';
import type { Kernel, ReloadOutcome } from '../runtime/kernel.js';
import { boot } from './boot.js';
import { API_PATH, docsPages, PAGE_PATH, takenPages } from './docs-pages.js';
import { explain } from './explain.js';
import { paintFor } from './paint.js';
import { pretty, summary, withConfig } from './problems.js';
import { run } from './serve.js';
import { endpointTable, scheduleTable } from './table.js';
import type { Output, Terminal } from './terminal.js';

/** Milliseconds without a change before a reload, because editors write a file in several steps. */
const SETTLE = 60;
/**
 * Milliseconds until the files are compared with those of the reload, because the watcher drops events of a folder while listing
 * it.
 */
const SECOND_LOOK = 500;

export async function dev({ config }: CommandOptions, terminal: Terminal): Promise<number> {
  const { stdout } = terminal;
  const paint = paintFor(terminal);
  const booted = await boot(terminal, config, { onProblem: 'skip', dev: true, asks: 'scratch' });
  if (booted === null) return 1;
  const { kernel } = booted;
  let table = '';
  let secondLook: NodeJS.Timeout | undefined;
  // A watcher that is closed begins to watch again when a folder is added, so nothing is added after the end.
  let isOver = false;
  const reload = async (): Promise<void> => {
    if (isOver) return;
    clearTimeout(secondLook);
    const before = await readTimes(kernel);
    // Marks the start of a round for editors that parse this output.
    stdout.write('reading the definitions\n');
    stdout.write(shown(kernel, await kernel.reload(), paint));
    stdout.write(takenWords(kernel));
    const next = tables(kernel, paint);
    // The start prints the first table.
    if (table !== '' && next !== table) stdout.write(`\n${next}\n\n`);
    table = next;
    if (isOver) return;
    secondLook = setTimeout(() => void lookAgain(before), SECOND_LOOK);
    secondLook.unref();
  };
  const lookAgain = async (before: Times): Promise<void> => {
    const now = await readTimes(kernel);
    if (isOver) return;
    watcher.add(foldersOf(now).filter((folder) => !Object.hasOwn(watcher.getWatched(), folder)));
    if (!isDeepStrictEqual(now, before)) await reload();
  };
  const watcher = watchDefinitions(kernel, stdout, () => void reload());
  try {
    await once(watcher, 'ready');
    // Reloads once, because files saved while plugins were opening raised no event.
    await reload();
    return await run(kernel, terminal, docsPages(kernel), pageLines(kernel));
  } finally {
    isOver = true;
    clearTimeout(secondLook);
    await watcher.close();
  }
}

/** Modification time (ms) of each definition file. */
type Times = ReadonlyMap<string, number>;

async function readTimes({ project, config }: Kernel): Promise<Times> {
  const { folder, configFile } = project;
  const names = await findDefinitions({ folder, configFile, patterns: config.definitions });
  const modified = (name: string): Promise<number> =>
    stat(name).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  return new Map(await Promise.all(names.map(async (name) => [name, await modified(name)] as const)));
}

const foldersOf = (times: Times): string[] => [...new Set([...times.keys()].map((name) => dirname(name)))];

/** Without next run times, which change constantly. */
function tables(kernel: Kernel, paint: Paint): string {
  const plans = kernel.plans();
  const schedules = scheduleTable(plans, null, paint);
  return `${endpointTable(plans, kernel.config.http.methods, paint)}${schedules === null ? '' : `\n\n${schedules}`}`;
}

/** Printed at each reload, because a definition may have claimed the path. */
const takenWords = (kernel: Kernel): string =>
  takenPages(kernel)
    .map(
      ({ path, id }) => `${path} is answered by the resource "${id}"; the page of \`lintel dev\` is not shown there\n`,
    )
    .join('');

const pageLines =
  (kernel: Kernel) =>
  (url: string): string => {
    const taken = new Set(takenPages(kernel).map(({ path }) => path));
    if (taken.has(PAGE_PATH)) return '';
    return taken.has(API_PATH)
      ? `page: ${url}${PAGE_PATH} (without ${API_PATH} it is empty)\n`
      : `try it out: ${url}${PAGE_PATH}\n`;
  };

/** Watches the base folders of the definition globs, the scripts folder, the config file and `.env`. */
function watchDefinitions(kernel: Kernel, stdout: Output, changed: () => void): FSWatcher {
  const { folder, configFile } = kernel.project;
  const roots = new Set(kernel.config.definitions.map((glob) => resolve(folder, fixedPart(glob))));
  const scripts = join(folder, SCRIPTS_FOLDER);
  const folders = [...[...roots].map(existing), ...(existsSync(scripts) ? [scripts] : [])];
  // Files inside watched folders are not watched separately: chokidar would then miss new files in that folder.
  const files = [configFile, join(folder, '.env')].filter((file) => !folders.some((around) => isInside(file, around)));
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...folders, ...files], {
    ignoreInitial: true,
    ignored: (path) => isHidden(relative(folder, path)),
  });
  watcher.on('all', (_event, path) => {
    if (resolve(path) === configFile || basename(path) === '.env') {
      stdout.write(`${basename(path)} changed: restart to take it over\n`);
      return;
    }
    const isScript = path.endsWith('.sql') && isInside(path, scripts);
    if (!isScript && (!/\.jsonc?$/.test(path) || ![...roots].some((root) => isInside(path, root)))) return;
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE);
  });
  return watcher;
}

/** The folder or its nearest existing ancestor, so that creating the folder raises an event. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** `path` is relative to the project's folder, so hidden folders above the project do not count. */
const isHidden = (path: string): boolean =>
  path !== '.env' && path.split(sep).some((part) => part === 'node_modules' || /^\.[^.]/.test(part));

/** The folder before the first wildcard: `definitions` for `definitions/**`. */
function fixedPart(glob: string): string {
  const wild = glob.search(/[*?{[]/);
  return wild === -1 ? dirname(glob) : dirname(`${glob.slice(0, wild)}x`);
}

function shown(kernel: Kernel, outcome: ReloadOutcome, paint: Paint): string {
  const { applied, problems, documents, failure } = outcome;
  const list = problems.length > 0 ? `\n${pretty(problems, withConfig(kernel.project, documents), paint)}\n` : '';
  const reason = failure === undefined ? '' : `\n${explain(failure, paint)}\n`;
  const state = applied ? 'serving' : paint('warning', 'still serving the last sound set');
  return `${list}${reason}${state} ${kernel.plans().byId.size} resource(s): ${summary(problems)}\n`;
}
