/**
 * A process that runs the compiled test files it is sent, one after another, each to its first failed test. With
 * LINTEL_COVERAGE, a folder, it also returns which lines were executed, here and in processes that tests start.
 */
import { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { LineCollector } from './lines.js';
import type { Executed, Failure, RunRequest, RunResult, ScriptCoverage } from './messages.js';
import { startProfiler } from './profiler.js';

const TIMEOUT_MS = 60_000;
const LONGEST_MESSAGE = 300;
/** Time for a process that is about to be killed to write what it executed. */
const WRITE_MS = 200;

class Silent {}

const measure = process.env['LINTEL_COVERAGE'] === undefined ? null : startMeasuring(process.env['LINTEL_COVERAGE']);

async function runFile(file: string): Promise<RunResult> {
  const mocha = new Mocha({ timeout: TIMEOUT_MS, bail: true, reporter: Silent as never });
  mocha.addFile(file);
  let failure: Failure | null = null;
  let [passes, pending, ms] = [0, 0, 0];
  try {
    await mocha.loadFilesAsync();
    const start = performance.now();
    await new Promise<void>((resolve) => {
      const runner = mocha.run(() => resolve());
      runner.on('pass', () => passes++);
      runner.on('pending', () => pending++);
      runner.on('fail', (test, error: unknown) => {
        failure ??= { test: test.fullTitle(), message: describeError(error) };
      });
    });
    ms = Math.round(performance.now() - start);
  } catch (error) {
    failure = { test: '(loading)', message: describeError(error) };
  }
  return { file, passes, pending, failure, ms, executed: measure?.() ?? null };
}

function describeError(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}...` : text;
}

function startMeasuring(folder: string): () => Executed {
  const take = startProfiler();
  const lines = new LineCollector();
  process.env['NODE_OPTIONS'] = `--import=${new URL('./agent.js', import.meta.url).href}`;
  delayKills();
  return () => {
    lines.add(take());
    for (const name of readdirSync(folder)) {
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
        const scripts = parseScripts(line);
        if (scripts !== null) lines.add(scripts);
      }
      rmSync(join(folder, name), { force: true });
    }
    return lines.takeExecuted();
  };
}

/** The last line of a process that was killed may be cut. */
function parseScripts(line: string): ScriptCoverage[] | null {
  try {
    return JSON.parse(line) as ScriptCoverage[];
  } catch {
    return null;
  }
}

/** A killed process cannot write what it executed, so it is requested shortly before. */
function delayKills(): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
  const { kill } = ChildProcess.prototype;
  ChildProcess.prototype.kill = function (this: ChildProcess, signal) {
    if (signal !== 'SIGKILL' || this.spawnfile !== process.execPath) return kill.call(this, signal);
    setTimeout(() => kill.call(this, signal), WRITE_MS);
    return kill.call(this, 'SIGUSR2');
  };
}

process.on('message', ({ file }: RunRequest) => {
  void runFile(file).then((result) => process.send?.(result));
});
// With all that the tests started in this group.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.send?.('ready');
