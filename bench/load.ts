/**
 * Runs a load on one server for some seconds and returns the result. The generator is wrk, or autocannon if wrk is not
 * installed, in a separate process. Its CPU time is measured, so that the report can warn when the generator was the
 * limit.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { autocannon } from './autocannon.js';
import { onCleanup } from './cleanup.js';
import type { Outcome, Shot } from './generator.js';
import { findOnPath, pinCommand, readStat } from './proc.js';
import { root } from './targets.js';
import { wrk } from './wrk.js';

export interface Load extends Outcome {
  /** Share of a core that the generator used, 0 to 1. */
  readonly generatorShare: number;
}

export type LoadRunner = (shot: Shot) => Promise<Load>;

export function findLoadGenerator(
  folder: string,
  core: number | undefined,
): { readonly name: string; readonly fire: LoadRunner } {
  const local = join(root, 'node_modules/.bin/autocannon');
  const found = findOnPath('wrk');
  const [generator, program] =
    found !== null ? [wrk, found] : [autocannon, existsSync(local) ? local : findOnPath('autocannon')];
  if (program === null) throw new Error('no load generator: install wrk (Debian: apt-get install wrk)');
  return {
    name: generator.name,
    fire: async (shot) => {
      const [command = '', ...args] = pinCommand(core, await generator.buildCommand(program, shot, folder));
      const { output, share } = await run(command, args, shot.seconds + 20);
      return { ...generator.parseOutcome(output), generatorShare: share };
    },
  };
}

/** Runs a program, kills it after `limit` seconds, and measures its CPU time. */
async function run(command: string, args: string[], limit: number): Promise<{ output: string; share: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errorOutput = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const started = performance.now();
  let share = 0;
  // `/proc` has the CPU time only while the process runs.
  const timer = setInterval(() => {
    const cpuMicros = child.pid === undefined ? undefined : readStat(child.pid)?.cpuMicros;
    if (cpuMicros !== undefined && cpuMicros > 0) share = cpuMicros / ((performance.now() - started) * 1000);
  }, 100);
  const killTimer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
  const removeStep = onCleanup(async () => void child.kill('SIGKILL'));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${code ?? 'a signal'}: ${errorOutput || output}`);
    return { output, share };
  } finally {
    clearInterval(timer);
    clearTimeout(killTimer);
    removeStep();
  }
}
