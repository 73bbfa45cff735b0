/**
 * A process that runs test files one after another, so that shared modules are loaded once. Sends each result
 * immediately to the process that started it.
 */
import { readFileSync } from 'node:fs';
import Mocha from 'mocha';
import { trackHandles, trackTimers, reportLingering } from './open-handles.js';
import type { Failure, FileResult, RunFile, ToWorker, WorkerEvent } from './messages.js';
import { mapStack } from './stack.js';
import { describeOpenLogs } from '../support/open-logs.js';
import { endWorker } from '../support/shared-server.js';
import { skipReason } from '../support/skip.js';

if (process.env['TRACE_TIMERS'] === '1') trackTimers();

const { EVENT_TEST_BEGIN, EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, EVENT_HOOK_BEGIN } =
  Mocha.Runner.constants;

let events: WorkerEvent[] = [];

/** The end of a test is sent with the begin of the next, because a message takes longer than most tests. */
function send(event: WorkerEvent): void {
  events.push(event);
  if (event.type === 'test' || event.type === 'skip') return;
  process.send?.(events);
  events = [];
}

/** Processor seconds of this process and of its children that have ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // Fields 16 and 17, in hundredths of a second; the name in front of them may hold spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

class WorkerReporter {
  constructor(runner: Mocha.Runner) {
    runner.on(EVENT_HOOK_BEGIN, (hook) => send({ type: 'begin', title: hook.fullTitle() }));
    runner.on(EVENT_TEST_BEGIN, (test) => send({ type: 'begin', title: test.fullTitle() }));
    runner.on(EVENT_TEST_PASS, (test) => report(test, 'passed'));
    runner.on(EVENT_TEST_PENDING, (test) => {
      send({ type: 'skip', reason: skipReason(test) });
      report(test, 'skipped');
    });
    // A failed hook is a failure of its own.
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => {
      send({ type: 'failure', failure: describeFailure(test, error) });
      report(test, 'failed');
    });
  }
}

const report = (test: Mocha.Test | Mocha.Hook, state: 'passed' | 'failed' | 'skipped'): void =>
  send({ type: 'test', state, title: test.fullTitle(), ms: test.duration ?? 0 });

function describeFailure(test: Mocha.Runnable, thrown: unknown): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { actual, expected, showDiff, cause } = error as Error & Readonly<Record<string, unknown>>;
  const lines = [mapStack(error.stack ?? error.message)];
  if (showDiff !== false && expected !== undefined)
    lines.push(Mocha.reporters.Base.generateDiff(text(actual), text(expected)));
  if (cause instanceof Error) lines.push(`caused by: ${mapStack(cause.stack ?? cause.message)}`);
  return { title: test.fullTitle(), text: [...lines, ...describeOpenLogs()].join('\n') };
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));

async function runFile({ file, grep, timeout }: RunFile): Promise<FileResult> {
  const [began, cpu] = [performance.now(), cpuSeconds()];
  const mocha = new Mocha({
    reporter: WorkerReporter as unknown as Mocha.ReporterConstructor,
    timeout: timeout ?? 120_000,
    forbidOnly: process.env['CI'] === 'true',
    ...(grep !== null && { grep: new RegExp(grep) }),
  });
  mocha.addFile(file);
  await mocha.loadFilesAsync();
  const stats = await new Promise<Mocha.Stats | undefined>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats));
  });
  mocha.dispose();
  trackHandles(file);
  return {
    passed: stats?.passes ?? 0,
    failed: stats?.failures ?? 0,
    skipped: stats?.pending ?? 0,
    seconds: (performance.now() - began) / 1000,
    cpu: cpuSeconds() - cpu,
    megabytes: process.memoryUsage().rss / 2 ** 20,
  };
}

async function runAndReport(message: RunFile): Promise<void> {
  try {
    send({ type: 'done', result: await runFile(message) });
  } catch (error) {
    const text = mapStack(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const title = `loading ${message.file}`;
    send({ type: 'failure', failure: { title, text } });
    send({ type: 'test', state: 'failed', title, ms: 0 });
    const none = { passed: 0, failed: 1, skipped: 0 };
    send({ type: 'done', result: { ...none, seconds: 0, cpu: 0, megabytes: process.memoryUsage().rss / 2 ** 20 } });
  }
}

process.on('message', (message: ToWorker) => {
  if (message.type === 'run') void runAndReport(message);
  if (message.type === 'end') void disconnectWorker();
});
// Ctrl-C reaches every process of the terminal; the runner ends its workers.
process.on('SIGINT', () => undefined);
const exit = (): never => process.exit(1);
process.once('disconnect', exit);

async function disconnectWorker(): Promise<void> {
  await endWorker();
  process.off('disconnect', exit);
  // From here on only handles left open by a test keep the process alive.
  process.disconnect();
  reportLingering();
}
