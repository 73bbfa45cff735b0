/** `lintel serve`: production. A set of definitions with one error is refused; SIGTERM ends it without losing a request. */
import type { Route } from '../contract/hooks.js';
import type { CommandOptions } from './commands.js';
import type { Kernel } from '../runtime/kernel.js';
import { listen, type RunningServer } from '../http/server.js';
import { boot } from './boot.js';
import { showLeftOut } from './left-out.js';
import { isPretty } from './log.js';
import { curlLine, endpointTable } from './table.js';

export async function serve({ config }: CommandOptions): Promise<number> {
  const booted = await boot(config);
  if (booted === null) return 1;
  const { kernel } = booted;
  showLeftOut(kernel);
  return run(kernel);
}

/** Listens until a signal comes; gives the exit code. `more` is said of the pages at the start. */
export async function run(
  kernel: Kernel,
  pages: readonly Route[] = [],
  more: (url: string) => string = () => '',
): Promise<number> {
  let server: RunningServer;
  try {
    await kernel.ready();
    server = await listen(kernel, pages);
  } catch (error) {
    await kernel.close('failed start');
    throw error;
  }
  announce(kernel, server.url, more(server.url));
  return stopped(kernel, server);
}

/** For people: on the terminal beside a pretty log, on stderr when stdout is for machines. */
function announce(kernel: Kernel, url: string, more: string): void {
  const plans = kernel.plans();
  const { methods, status_path: statusPath } = kernel.config.http;
  const curl = curlLine(plans, url, methods);
  const none =
    kernel.analysis().documents.size === 0 ? `\nNo file matches ${kernel.config.definitions.join(', ')}.` : '';
  const text = `\n${endpointTable(plans, methods)}${none}\n\nready at ${url} (status: ${statusPath})\n${more}${curl === null ? '' : `try:\n  ${curl}\n`}\n`;
  (isPretty() ? process.stdout : process.stderr).write(text);
  kernel.log.info({ url, resources: plans.byId.size, definitions: plans.hash }, 'listening');
  const warnings = kernel.problems().filter(({ severity }) => severity === 'warning').length;
  if (warnings > 0) kernel.log.warn({ warnings }, 'definitions have warnings; `lintel check` shows them');
}

function stopped(kernel: Kernel, server: RunningServer): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(1);
      stopping = true;
      kernel.log.info({ signal }, 'closing');
      void (async () => {
        const whole = await server.stop(kernel.config.http.timeouts.drain);
        if (!whole) kernel.log.warn({}, 'requests were cut off: they took longer than `http.timeouts.drain`');
        await kernel.close(signal);
        process.off('SIGTERM', stop).off('SIGINT', stop);
        resolve(whole ? 0 : 1);
      })();
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
