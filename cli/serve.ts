/**
 * `lintel serve`: rejects definitions with errors, waits for unavailable servers, and shuts down gracefully
 * (`shutdown.ts`).
 */
import { isRecorder } from '../contract/console.js';
import type { Route } from '../contract/route.js';
import type { CommandOptions } from './options.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { listen, type RunningServer } from '../kernel/http/server.js';
import { bootKernel, showInvalidDefinitions } from './boot.js';
import type { Console } from './console/console.js';
import { releaseYoungGeneration } from '../language/project/code-tiering.js';
import { waitForShutdown } from './shutdown.js';
import { showSkippedResources } from './skipped-resources.js';
import { isPretty } from './log.js';
import { createPaint } from './colors.js';
import { formatCurl, formatEndpointTable, formatScheduleTable } from './table.js';
import type { Output, Terminal } from './terminal.js';

export async function runServe({ config }: CommandOptions, terminal: Terminal): Promise<number> {
  const booted = await bootKernel(terminal, config, { wait: true, statementChecks: 'stores', usesCache: true });
  if (booted === null) return 1;
  const { kernel } = booted;
  showSkippedResources(kernel, terminal);
  try {
    const page = await loadConsole(kernel);
    const showPage = (url: string): string => (page === null ? '' : `console: ${url}${page.address}\n`);
    return await runServer(kernel, terminal, page?.routes, showPage, () => {
      page?.close();
      return undefined;
    });
  } catch (error) {
    // A server that became available may reject statements.
    showInvalidDefinitions(error, kernel.project, terminal);
    return 1;
  }
}

async function loadConsole(kernel: Kernel): Promise<Console | null> {
  if (!kernel.instances.some((one) => isRecorder(one.handle()))) return null;
  const { openConsole } = await import('./console/console.js');
  return openConsole(kernel, false, (observer) => kernel.observePlans(observer));
}

/**
 * Listens until a signal arrives. `more` returns extra lines for the start message; `onEnding` is called before
 * active requests are waited for.
 */
export async function runServer(
  kernel: Kernel,
  terminal: Terminal,
  pages: readonly Route[] = [],
  more: (url: string) => string = () => '',
  onEnding: () => Promise<void> | undefined = () => undefined,
): Promise<number> {
  let server: RunningServer;
  try {
    await kernel.ready();
    server = await listen(kernel, pages);
    releaseYoungGeneration();
  } catch (error) {
    await kernel.close('failed start');
    throw error;
  }
  const over = waitForShutdown(kernel, server, terminal, onEnding);
  const { url } = server;
  if (kernel.waiting.size > 0) printWaiting(kernel, url, terminal);
  void kernel.complete().then(
    () => kernel.waiting.size === 0 && printReady(kernel, url, more(url), terminal),
    () => undefined,
  );
  return over;
}

/** While servers are unavailable; then follows the table of endpoints. */
function printWaiting({ waiting, config, log }: Kernel, url: string, terminal: Terminal): void {
  const list = [...waiting].map(([plugin, reason]) => `  ${plugin}: ${reason}\n`).join('');
  selectOutput(terminal).write(
    `\nlistening at ${url} (status: ${config.http.status_path}), unavailable servers:\n${list}\n`,
  );
  log.info({ url, waiting: [...waiting.keys()] }, 'listening, some servers unavailable');
}

/** stdout if the log is pretty; otherwise stderr, because stdout contains JSON. */
const selectOutput = (terminal: Terminal): Output => (isPretty(terminal) ? terminal.stdout : terminal.stderr);

function printReady(kernel: Kernel, url: string, more: string, terminal: Terminal): void {
  const paint = createPaint(terminal);
  const plans = kernel.plans();
  const { methods, status_path: statusPath } = kernel.config.http;
  const { enabled, path } = kernel.config.websocket;
  const live = enabled ? `clients connect at ${url.replace(/^http/, 'ws')}${path}\n` : '';
  const curl = formatCurl(plans, url, methods);
  const none =
    kernel.analysis().documents.size === 0 ? `\nNo file matches ${kernel.config.definitions.join(', ')}.` : '';
  const schedules = formatScheduleTable(plans, Date.now(), paint);
  const clock = schedules === null ? '' : `\n\n${schedules}`;
  const text = `\n${formatEndpointTable(plans, methods, paint)}${none}${clock}\n\nready at ${url} (status: ${statusPath})\n${live}${formatPlaces(kernel)}${more}${curl === null ? '' : `try:\n  ${curl}\n`}\n`;
  selectOutput(terminal).write(text);
  const places = Object.fromEntries(listPlaces(kernel).map(({ kind, name }) => [kind, name]));
  kernel.log.info({ url, resources: plans.byId.size, definitions: plans.hash, ...places }, 'listening');
  const warnings = kernel.problems().filter(({ severity }) => severity === 'warning').length;
  if (warnings > 0) kernel.log.warn({ warnings }, 'definitions have warnings; `lintel check` shows them');
}

interface PluginPlace {
  readonly kind: string;
  readonly name: string;
  /** Several processes share its state. */
  readonly shared: boolean;
}

/** Plugins in use with the fact `shared`. */
const listPlaces = ({ instances, project }: Kernel): readonly PluginPlace[] =>
  instances.flatMap(({ id }) => {
    const { kind = '', name = '', facts } = project.registry.plugins.get(id) ?? {};
    const shared = facts?.shared;
    return typeof shared === 'boolean' ? [{ kind, name, shared }] : [];
  });

/** Plugin instances that are shared with other processes, and private ones. */
function formatPlaces(kernel: Kernel): string {
  const listPlaceNames = (shared: boolean): string =>
    listPlaces(kernel)
      .filter((place) => place.shared === shared)
      .map(({ kind, name }) => `${kind} ${name}`)
      .join(', ');
  const [own, common] = [listPlaceNames(false), listPlaceNames(true)];
  return `${common && `shared between processes: ${common}\n`}${own && `private to this process: ${own}\n`}`;
}
