/** The last records, bounded by count and size, and counts by resource since the start. */
import type { RecordedCall, Recorder, RequestCounts } from '../../../contract/console.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import {
  describeCalls,
  describeRecord,
  summarizeRecord,
  type RecordContext,
  type RecordedRequest,
} from './describe-record.js';

export interface RecordStore {
  readonly view: Pick<
    Recorder,
    'list' | 'find' | 'listCalls' | 'bytes' | 'clear' | 'counts' | 'countLastMinute' | 'subscribe'
  >;
  add(request: Pick<RecordedRequest, 'record' | 'notes' | 'copy' | 'size'>): void;
  count(record: InvocationRecord): void;
}

/**
 * Holds the newest requests and, without a reader, some older ones of each second: garbage collection of long-held objects costs most.
 */
const NEWEST = 32;
const PER_SECOND = 20;
/** Of each resource, for the median and others. */
const MOST_TIMES = 512;
const SECONDS = 60;

export function createRecordStore(limits: Recorder['limits'], context: RecordContext): RecordStore {
  const newest: (RecordedRequest | null)[] = Array.from({ length: Math.min(NEWEST, limits.requests) }, () => null);
  const sizes = newest.map(() => 0);
  const older = new Map<number, RecordedRequest>();
  const counts = new Map<string, RequestCounts>();
  const listeners = new Set<Parameters<Recorder['subscribe']>[0]>();
  /** By second modulo a minute. */
  const minute = Array.from({ length: SECONDS }, () => ({ second: 0, count: 0 }));
  const held = { second: 0, count: 0 };
  let last = 0;
  let bytes = 0;

  function retainsOlder(second: number): boolean {
    if (held.second !== second) [held.second, held.count] = [second, 0];
    held.count += 1;
    return listeners.size > 0 || held.count <= PER_SECOND;
  }

  function removeOldest(): void {
    while (older.size + newest.length > limits.requests || bytes > limits.bytes) {
      const [first] = older;
      if (first === undefined) return removeOldestOfNewest();
      older.delete(first[0]);
      bytes -= first[1].size;
    }
  }

  function removeOldestOfNewest(): void {
    for (let number = last - newest.length + 1; number < last && bytes > limits.bytes; number++) {
      const found = findNewest(number);
      if (found === null) continue;
      newest[number % newest.length] = null;
      bytes -= found.size;
    }
  }

  function findNewest(number: number): RecordedRequest | null {
    const found = newest[number % newest.length] ?? null;
    return found?.number === number ? found : null;
  }

  const listNewest = (): RecordedRequest[] =>
    newest.filter((one) => one !== null).sort((one, other) => one.number - other.number);

  return {
    view: {
      list: () => [...older.values(), ...listNewest()].map((request) => summarizeRecord(request, context)),
      find(number) {
        const found = findNewest(number) ?? older.get(number);
        return found === undefined ? null : describeRecord(found, context);
      },
      listCalls(most) {
        const calls: RecordedCall[] = [];
        for (const request of [...older.values(), ...listNewest()].reverse()) {
          if (calls.length >= most) break;
          calls.push(...describeCalls(request, context).slice(0, most - calls.length));
        }
        return calls;
      },
      get bytes() {
        return bytes;
      },
      clear() {
        newest.fill(null);
        older.clear();
        bytes = 0;
      },
      counts,
      countLastMinute() {
        const from = Math.floor(Date.now() / 1000) - SECONDS;
        return minute.reduce((sum, { second, count }) => (second > from ? sum + count : sum), 0);
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    add({ record, notes, copy, size }) {
      const request: RecordedRequest = { number: ++last, record, notes, copy, size };
      const slot = last % newest.length;
      const leaving = newest[slot] ?? null;
      if (leaving !== null) {
        if (retainsOlder(Math.floor(record.startedAt / 1000))) older.set(last - newest.length, leaving);
        else bytes -= sizes[slot] ?? 0;
      }
      newest[slot] = request;
      sizes[slot] = size;
      bytes += size;
      if (older.size + newest.length > limits.requests || bytes > limits.bytes) removeOldest();
      if (listeners.size === 0) return;
      const summary = summarizeRecord(request, context);
      for (const listener of listeners) listener(summary);
    },
    count({ resource = '-', code, startedAt, milliseconds }) {
      let found = counts.get(resource);
      if (found === undefined) counts.set(resource, (found = { count: 0, codes: new Map(), times: [] }));
      found.times[found.count++ % MOST_TIMES] = milliseconds;
      if (code !== undefined) found.codes.set(code, (found.codes.get(code) ?? 0) + 1);
      const second = Math.floor(startedAt / 1000);
      const slot = minute[second % SECONDS];
      if (slot === undefined) return;
      if (slot.second !== second) [slot.second, slot.count] = [second, 0];
      slot.count += 1;
    },
  };
}
