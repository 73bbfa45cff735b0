/**
 * Imported by processes that tests start (`NODE_OPTIONS`) while coverage is measured: appends what was executed to a
 * file of the folder LINTEL_COVERAGE, at intervals, at the end, and before the test kills the process.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProfiler } from './profiler.js';

const INTERVAL_MS = 1000;
const folder = process.env['LINTEL_COVERAGE'];

if (folder !== undefined) {
  const take = startProfiler();
  const file = join(folder, `${process.pid}.jsonl`);
  const write = (): void => {
    const scripts = take();
    if (scripts.length > 0) appendFileSync(file, `${JSON.stringify(scripts)}\n`);
  };
  setInterval(write, INTERVAL_MS).unref();
  process.on('SIGUSR2', write);
  process.on('exit', write);
}
