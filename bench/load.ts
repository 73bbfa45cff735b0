/**
 * Puts one server under load for some seconds and says what came of it. The generator is wrk, or autocannon where that
 * is installed instead; both run as a process of their own, whose CPU time is watched so that it never is the limit.
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
  /** Part of a core that the generator used, 0 to 1. */
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

/** Runs a program to its end, or ends it after `limit` seconds, and watches its CPU time meanwhile. */
async function run(command: string, args: string[], limit: number): Promise<{ output: string; share: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const started = performance.now();
  let share = 0;
  // Its CPU time is only to be had while it runs.
  const watch = setInterval(() => {
    const cpuMicros = child.pid === undefined ? undefined : readStat(child.pid)?.cpuMicros;
    if (cpuMicros !== undefined && cpuMicros > 0) share = cpuMicros / ((performance.now() - started) * 1000);
  }, 100);
  const hard = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
  const forget = onCleanup(async () => void child.kill('SIGKILL'));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${code ?? 'a signal'}: ${complaints || output}`);
    return { output, share };
  } finally {
    clearInterval(watch);
    clearTimeout(hard);
    forget();
  }
}
