/** `lintel dev`: serves valid resources, watches the files, and prints problems. */
import { watch, type FSWatcher } from 'chokidar';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { StyleText } from '../language/source/code-frame.js';
import type { CommandOptions } from './options.js';
import { findDefinitions, getFixedPart } from '../language/project/definition-files.js';
import { SCRIPTS_FOLDER } from '../language/project/scripts.js';
import type { Kernel, ReloadOutcome } from '../kernel/runtime/kernel.js';
import { bootKernel } from './boot.js';
import { openConsole, shareObservers, type Console } from './console/console.js';
import { formatDebugger, listenForDebugger, type DebugListener } from './debug/listener.js';
import { listenForEditors, type EditorListener } from './editor-listener.js';
import { createRequestReports } from './request-reports.js';
import { API_PATH, createDocsRoutes, PAGE_PATH, findTakenPages } from './docs-pages.js';
import type { Fault } from '../contract/fault.js';
import { explainFailure } from './explain-failure.js';
import { formatError } from './format-error.js';
import { createPaint } from './colors.js';
import { formatProblems, formatProblemCounts, addConfigDocument } from './problems.js';
import { runServer } from './serve.js';
import { formatEndpointTable, formatScheduleTable } from './table.js';
import type { Output, Terminal } from './terminal.js';

/** Milliseconds without a change: editors write a file in several steps. */
const SETTLE = 60;
/** Milliseconds until the files are compared again: the watcher drops events of a folder while listing it. */
const SECOND_LOOK = 500;

export async function runDev({ config, debug }: CommandOptions, terminal: Terminal): Promise<number> {
  const { stdout } = terminal;
  const paint = createPaint(terminal);
  let served: Kernel | null = null;
  const onFailure = (fault: Fault): void => {
    const text = served === null ? null : explainFailure(served, fault, paint);
    if (text !== null) stdout.write(`\n${text}\n\n`);
  };
  const reports = createRequestReports();
  const { register } = reports;
  const booted = await bootKernel(terminal, config, {
    onProblem: 'skip',
    dev: true,
    statementChecks: 'scratch',
    onFailure,
    register,
  });
  if (booted === null) return 1;
  const { kernel, observeAlways } = shareObservers(booted.kernel);
  served = kernel;
  let table = '';
  let secondLook: NodeJS.Timeout | undefined;
  // A closed watcher watches again when a folder is added.
  let isOver = false;
  const reload = async (): Promise<void> => {
    if (isOver) return;
    clearTimeout(secondLook);
    const before = await readTimes(kernel);
    // Marks the start of a round for editors that parse this output.
    stdout.write('reading the definitions\n');
    stdout.write(formatReload(kernel, await kernel.reload(), paint));
    stdout.write(formatTakenPages(kernel));
    const next = formatTables(kernel, paint);
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
    watcher.add(listFolders(now).filter((folder) => !Object.hasOwn(watcher.getWatched(), folder)));
    if (!isDeepStrictEqual(now, before)) await reload();
  };
  const watcher = watchDefinitions(kernel, stdout, () => void reload());
  let listener: DebugListener | null = null;
  let editors: EditorListener | null = null;
  let page: Console | null = null;
  try {
    page = await openConsole(kernel, true, observeAlways).catch((error: unknown) => closeFailed(kernel, error));
    await once(watcher, 'ready');
    // Files saved while plugins were opening raised no event.
    await reload();
    editors = await listenForEditors(kernel, reports).catch((error: unknown) => closeFailed(kernel, error));
    if (debug) listener = await listenForDebugger(kernel, 'dev').catch((error: unknown) => closeFailed(kernel, error));
    const formatLines = createPageFormatter(kernel);
    const formatMore = (url: string): string =>
      `${formatLines(url)}${formatConsole(page, url)}${formatDebugger(listener)}`;
    const pages = [...createDocsRoutes(kernel), ...(page?.routes ?? [])];
    return await runServer(kernel, terminal, pages, formatMore, () => {
      page?.close();
      return listener?.close();
    });
  } finally {
    isOver = true;
    clearTimeout(secondLook);
    page?.close();
    await listener?.close();
    await editors?.close();
    await watcher.close();
  }
}

async function closeFailed(kernel: Kernel, error: unknown): Promise<never> {
  await kernel.close('failed start');
  throw error;
}

const formatConsole = (page: Console | null, url: string): string =>
  page === null ? '' : `console: ${url}${page.address}\n`;

/** Modification time (ms) of each definition file. */
type Times = ReadonlyMap<string, number>;

async function readTimes({ project, config }: Kernel): Promise<Times> {
  const { folder, configFile } = project;
  const names = await findDefinitions({ folder, configFile, patterns: config.definitions });
  return new Map(names.map((name) => [name, readModifiedTime(name)]));
}

/** Synchronously, because that takes a fraction of the processor time. */
function readModifiedTime(name: string): number {
  try {
    return statSync(name).mtimeMs;
  } catch {
    return 0;
  }
}

const listFolders = (times: Times): string[] => [...new Set([...times.keys()].map((name) => dirname(name)))];

/** Without next run times, which change constantly. */
function formatTables(kernel: Kernel, paint: StyleText): string {
  const plans = kernel.plans();
  const schedules = formatScheduleTable(plans, null, paint);
  return `${formatEndpointTable(plans, kernel.config.http.methods, paint)}${schedules === null ? '' : `\n\n${schedules}`}`;
}

/** At each reload, because a definition may have claimed the path. */
const formatTakenPages = (kernel: Kernel): string =>
  findTakenPages(kernel)
    .map(
      ({ path, id }) =>
        `${path} is served by the resource "${id}"; the page of \`lintel dev\` is not available there\n`,
    )
    .join('');

const createPageFormatter =
  (kernel: Kernel) =>
  (url: string): string => {
    const taken = new Set(findTakenPages(kernel).map(({ path }) => path));
    if (taken.has(PAGE_PATH)) return '';
    return taken.has(API_PATH)
      ? `page: ${url}${PAGE_PATH} (without ${API_PATH} it is empty)\n`
      : `try it out: ${url}${PAGE_PATH}\n`;
  };

/** Watches the base folders of the definition globs, the scripts folder, the config file and `.env`. */
function watchDefinitions(kernel: Kernel, stdout: Output, changed: () => void): FSWatcher {
  const { folder, configFile } = kernel.project;
  const roots = new Set(kernel.config.definitions.map((glob) => resolve(folder, getFixedPart(glob))));
  const scripts = join(folder, SCRIPTS_FOLDER);
  const folders = [...[...roots].map(findExistingFolder), ...(existsSync(scripts) ? [scripts] : [])];
  // Files inside watched folders are not watched separately: chokidar would miss new ones.
  const files = [configFile, join(folder, '.env')].filter((file) => !folders.some((around) => isInside(file, around)));
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...folders, ...files], {
    ignoreInitial: true,
    ignored: (path) => isHidden(relative(folder, path)),
  });
  watcher.on('all', (_event, path) => {
    if (resolve(path) === configFile || basename(path) === '.env') {
      stdout.write(`${basename(path)} changed: restart to apply it\n`);
      return;
    }
    const isScript = path.endsWith('.sql') && isInside(path, scripts);
    if (!isScript && (!/\.jsonc?$/.test(path) || ![...roots].some((root) => isInside(path, root)))) return;
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE);
  });
  return watcher;
}

/** The folder or its nearest existing ancestor, so that its creation raises an event. */
const findExistingFolder = (folder: string): string =>
  existsSync(folder) ? folder : findExistingFolder(dirname(folder));

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Relative to the project's folder: hidden folders above it do not count. */
const isHidden = (path: string): boolean =>
  path !== '.env' && path.split(sep).some((part) => part === 'node_modules' || /^\.[^.]/.test(part));

function formatReload(kernel: Kernel, outcome: ReloadOutcome, paint: StyleText): string {
  const { applied, problems, documents, failure } = outcome;
  const list =
    problems.length > 0 ? `\n${formatProblems(problems, addConfigDocument(kernel.project, documents), paint)}\n` : '';
  const reason = failure === undefined ? '' : `\n${formatError(failure, paint)}\n`;
  const state = applied ? 'serving' : paint('warning', 'still serving the last valid version of');
  return `${list}${reason}${state} ${kernel.plans().byId.size} resource(s): ${formatProblemCounts(problems)}\n`;
}
