/** `lintel dev`: serves what is sound, watches the files, and shows problems as they are written. */
import { watch, type FSWatcher } from 'chokidar';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { CommandOptions } from './commands.js';
import type { Kernel, ReloadOutcome } from '../runtime/kernel.js';
import { boot } from './boot.js';
import { API_PATH, docsPages, PAGE_PATH, takenPages } from './docs-pages.js';
import { explain } from './explain.js';
import { paint } from './paint.js';
import { pretty, summary, withConfig } from './problems.js';
import { run } from './serve.js';
import { endpointTable, scheduleTable } from './table.js';

/** Milliseconds of quiet after a change: editors write a file in several steps. */
const SETTLE = 60;

export async function dev({ config }: CommandOptions): Promise<number> {
  const booted = await boot(config, { onProblem: 'skip', dev: true });
  if (booted === null) return 1;
  const { kernel } = booted;
  let table = '';
  const reload = async (): Promise<void> => {
    // Where a round begins: editors that list these problems forget those of the round before.
    process.stdout.write('reading the definitions\n');
    show(kernel, await kernel.reload());
    showTaken(kernel);
    const next = tables(kernel);
    // The first one is printed by the start.
    if (table !== '' && next !== table) process.stdout.write(`\n${next}\n\n`);
    table = next;
  };
  const watcher = watchDefinitions(kernel, () => void reload());
  try {
    await once(watcher, 'ready');
    // Plugins may have taken seconds to open; what was saved meanwhile raised no event.
    await reload();
    return await run(kernel, docsPages(kernel), pageLines(kernel));
  } finally {
    await watcher.close();
  }
}

/** When something runs next changes all the time: that is no news. */
function tables(kernel: Kernel): string {
  const plans = kernel.plans();
  const schedules = scheduleTable(plans, null);
  return `${endpointTable(plans, kernel.config.http.methods)}${schedules === null ? '' : `\n\n${schedules}`}`;
}

/** Said at each reload: a definition may have taken the address. */
function showTaken(kernel: Kernel): void {
  for (const { path, id } of takenPages(kernel)) {
    process.stdout.write(
      `${path} is answered by the resource "${id}"; the page of \`lintel dev\` is not shown there\n`,
    );
  }
}

const pageLines =
  (kernel: Kernel) =>
  (url: string): string => {
    const taken = new Set(takenPages(kernel).map(({ path }) => path));
    if (taken.has(PAGE_PATH)) return '';
    return taken.has(API_PATH)
      ? `page: ${url}${PAGE_PATH} (without ${API_PATH} it is empty)\n`
      : `try it out: ${url}${PAGE_PATH}\n`;
  };

/** Watches the folders that the globs begin with. */
function watchDefinitions(kernel: Kernel, changed: () => void): FSWatcher {
  const { folder, configFile } = kernel.project;
  const roots = new Set(kernel.config.definitions.map((glob) => resolve(folder, fixedPart(glob))));
  const folders = [...roots].map(existing);
  // A file that is watched beside the folder it lies in makes the watcher lose what is new in that folder.
  const files = [configFile, join(folder, '.env')].filter((file) => !folders.some((around) => isInside(file, around)));
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...folders, ...files], {
    ignoreInitial: true,
    ignored: (path) => isHidden(relative(folder, path)),
  });
  watcher.on('all', (_event, path) => {
    if (resolve(path) === configFile || basename(path) === '.env') {
      process.stdout.write(`${basename(path)} changed: restart to take it over\n`);
      return;
    }
    if (!/\.jsonc?$/.test(path) || ![...roots].some((root) => isInside(path, root))) return;
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE);
  });
  return watcher;
}

/** The folder itself, or the nearest one around it: the first definition may come together with its folder. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Judged below the project's folder only: where the project itself lies is nobody's business. */
const isHidden = (path: string): boolean =>
  path !== '.env' && path.split(sep).some((part) => part === 'node_modules' || /^\.[^.]/.test(part));

/** The folder before the first wildcard: `definitions` of `definitions/**` and so on. */
function fixedPart(glob: string): string {
  const wild = glob.search(/[*?{[]/);
  return wild === -1 ? dirname(glob) : dirname(`${glob.slice(0, wild)}x`);
}

function show(kernel: Kernel, { applied, problems, documents: read, failure }: ReloadOutcome): void {
  const documents = withConfig(kernel.project, read);
  if (problems.length > 0) process.stdout.write(`\n${pretty(problems, documents)}\n`);
  if (failure !== undefined) process.stdout.write(`\n${explain(failure)}\n`);
  const state = applied ? 'serving' : paint('warning', 'still serving the last sound set');
  process.stdout.write(`${state} ${kernel.plans().byId.size} resource(s): ${summary(problems)}\n`);
}
