/** CPU time and memory of processes from `/proc`, and the assignment of processes to cores. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface Stat {
  readonly name: string;
  readonly parent: number;
  /** utime + stime of all threads. */
  readonly cpuMicros: number;
}

/** Null: the process has ended. */
export function readStat(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name is in parentheses and may contain any character, so fields are counted after it; the first one is the state.
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { name: text.slice(open + 1, close), parent: Number(fields[1]), cpuMicros: (ticks * 1e6) / ticksPerSecond };
}

/** CPU time of a process and its children, in microseconds. */
export function readTreeCpuMicros(pid: number): number {
  return [pid, ...listDescendants(pid)].reduce((sum, each) => sum + (readStat(each)?.cpuMicros ?? 0), 0);
}

export function readResidentMiB(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

/** The peak of the resident memory. */
export function readPeakMiB(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

export function listDescendants(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const child = Number(entry);
    const parent = Number.isInteger(child) ? readStat(child)?.parent : undefined;
    if (parent === undefined) continue;
    parents.set(parent, [...(parents.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  for (let next = parents.get(pid) ?? []; next.length > 0; next = next.flatMap((each) => parents.get(each) ?? [])) {
    found.push(...next);
  }
  return found;
}

export interface Cores {
  readonly server: number;
  readonly rest: number;
}

/** One core for the server and one for everything else; null if processes cannot be pinned. */
export function findPinnableCores(): Cores | null {
  const allowed = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const cores = allowed.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const [server, rest] = cores;
  return server === undefined || rest === undefined || findOnPath('taskset') === null ? null : { server, rest };
}

/** Prefixes the command with `taskset` if roles are pinned. */
export function pinCommand(core: number | undefined, command: readonly string[]): string[] {
  return core === undefined ? [...command] : ['taskset', '-c', String(core), ...command];
}

export function pinRunning(core: number, pids: readonly number[]): void {
  for (const pid of pids) {
    // The process may have ended meanwhile.
    if (readStat(pid) !== null) execFileSync('taskset', ['-apc', String(core), String(pid)], { stdio: 'ignore' });
  }
}

export function findOnPath(program: string): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
