/**
 * Checks the remains of killed processes: acknowledged work exists, existing work is complete, and repeated work was
 * interrupted by a kill. Reads the evidence only; the list of faults must be empty.
 */
import { CONCURRENCY, KINDS, getKind, type Evidence, type Kill } from './kills.js';

export interface KindFigures {
  readonly kind: string;
  readonly sent: number;
  readonly acknowledged: number;
  /** Acknowledged, and not there. */
  readonly lost: number;
  /** Done more than once. */
  readonly doubled: number;
}

export interface KillReport {
  readonly kinds: readonly KindFigures[];
  /** The most work that one kill had done twice; never more than runs at once in a process. */
  readonly mostDoubledByOne: number;
  readonly dead: number;
  /** Milliseconds from a kill until a process served in the place of the one that was killed. */
  readonly recovered: readonly number[];
  /** Milliseconds from a kill until the work that it interrupted was done again. */
  readonly again: readonly number[];
  /** The faults, as text. */
  readonly faults: readonly string[];
}

/** The balancer reports what a kill interrupts, or that no server is ready; nothing else may fail. */
const OF_THE_BALANCER = /^(502 \d+: (ECONNREFUSED|ECONNRESET|EPIPE|socket hang up)|503 no server is ready)/;

export function evaluateKills(evidence: Evidence): KillReport {
  const { load, tables, effects, dead, kills } = evidence;
  const faults: string[] = [];
  const check = (holds: boolean, what: string): void => void (holds || faults.push(what));
  const runs = new Map<number, readonly string[]>(tables.notes);
  const keys = new Map<number, Set<string>>();
  for (const { id, by, key } of effects) {
    runs.set(id, [...(runs.get(id) ?? []), by]);
    keys.set(id, (keys.get(id) ?? new Set()).add(key));
  }
  const killed = new Map(kills.map((kill) => [kill.member, kill]));
  const acknowledged = new Set(load.acknowledged);
  const explained = new Set<number>();
  for (const { id, request, attempts, retries, failure } of dead) {
    const why = `${failure?.code ?? 'no reason'} after ${attempts} of ${retries + 1}`;
    const isExplained = failure?.code === 'JOB_LOST' && attempts > retries;
    if (isExplained) explained.add(request);
    check(isExplained, `work ${id} is dead: ${why}`);
  }
  const { times, lost } = countRuns(evidence, runs);
  for (const { id, what } of load.failed) check(OF_THE_BALANCER.test(what), `request ${id} failed: ${what}`);
  const doubledBy = new Map<Kill, number>();
  for (let id = 1; id <= load.sent; id++) {
    const kind = getKind(id);
    const [debit, credit, order] = [tables.debits, tables.credits, tables.orders].map((table) => table.get(id) ?? 0);
    check(debit === credit, `chain ${id} is not whole: ${debit} and ${credit}`);
    if (kind === 'row' || kind === 'chain') check(times(id) <= 1, `${kind} ${id} was done ${times(id)} times`);
    if (kind === 'order') {
      check((order ?? 0) <= 1, `order ${id} is there ${order} times`);
      check((order === 1) === times(id) > 0 || explained.has(id), `order ${id}: ${order}, its work ${times(id)} times`);
    }
    if (acknowledged.has(id) && lost(id)) check(explained.has(id), `${kind} ${id} was acknowledged and is not there`);
    const by = runs.get(id) ?? [];
    for (const member of by.slice(0, -1)) {
      const kill = killed.get(member);
      check(kill !== undefined, `${kind} ${id} was done again although ${member} was not killed`);
      if (kill !== undefined) doubledBy.set(kill, (doubledBy.get(kill) ?? 0) + 1);
    }
    check((keys.get(id)?.size ?? 1) === 1, `${kind} ${id} had more than one key: ${[...(keys.get(id) ?? [])].join()}`);
  }
  const mostDoubledByOne = Math.max(0, ...doubledBy.values());
  check(mostDoubledByOne <= CONCURRENCY, `${mostDoubledByOne} were done twice because of one kill`);
  return {
    kinds: KINDS.map((kind) => {
      const ids = Array.from({ length: load.sent }, (_, index) => index + 1).filter((id) => getKind(id) === kind);
      const known = ids.filter((id) => acknowledged.has(id));
      return {
        kind,
        sent: ids.length,
        acknowledged: known.length,
        lost: known.filter(lost).length,
        doubled: ids.filter((id) => times(id) > 1).length,
      };
    }),
    mostDoubledByOne,
    dead: dead.length,
    recovered: kills.map(({ recovered }) => recovered),
    again: measurePauses(evidence, killed),
    faults,
  };
}

function countRuns({ tables }: Evidence, runs: ReadonlyMap<number, readonly string[]>) {
  const counted = { row: tables.entries, chain: tables.debits };
  const countTimes = (id: number): number => {
    const kind = getKind(id);
    return kind === 'row' || kind === 'chain' ? (counted[kind].get(id) ?? 0) : (runs.get(id)?.length ?? 0);
  };
  return { times: countTimes, lost: (id: number): boolean => countTimes(id) === 0 };
}

/** From the kill to the call that replaced the interrupted one. */
function measurePauses({ effects }: Evidence, killed: ReadonlyMap<string, Kill>): number[] {
  const last = new Map<number, string>();
  const pauses: number[] = [];
  for (const { id, by, at } of effects) {
    const kill = killed.get(last.get(id) ?? '');
    if (kill !== undefined) pauses.push(at - kill.at);
    last.set(id, by);
  }
  return pauses;
}
