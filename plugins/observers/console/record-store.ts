/** The last records, bounded by count and size, and counts by resource since the start. */
import type { Recorder, RequestCounts } from '../../../contract/console.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import { describeRecord, summarizeRecord, type RecordedRequest } from './describe-record.js';

export interface RecordStore {
  readonly view: Pick<Recorder, 'list' | 'find' | 'bytes' | 'clear' | 'counts' | 'countLastMinute' | 'subscribe'>;
  /** `size`: bytes, about, of what it holds. */
  add(request: Omit<RecordedRequest, 'number'>, size: number): void;
  count(record: InvocationRecord): void;
}

/** Of each resource, for the median and others. */
const MOST_TIMES = 512;
const SECONDS = 60;

export function createRecordStore(limits: Recorder['limits']): RecordStore {
  const all = new Map<number, { readonly request: RecordedRequest; readonly bytes: number }>();
  const counts = new Map<string, RequestCounts>();
  const listeners = new Set<Parameters<Recorder['subscribe']>[0]>();
  /** By second modulo a minute. */
  const minute = Array.from({ length: SECONDS }, () => ({ second: 0, count: 0 }));
  let last = 0;
  let bytes = 0;

  function removeOldest(): void {
    for (const [number, entry] of all) {
      if (all.size <= limits.requests && bytes <= limits.bytes) return;
      all.delete(number);
      bytes -= entry.bytes;
    }
  }

  return {
    view: {
      list: () => [...all.values()].map(({ request }) => summarizeRecord(request)),
      find(number) {
        const found = all.get(number);
        return found === undefined ? null : describeRecord(found.request);
      },
      get bytes() {
        return bytes;
      },
      clear() {
        all.clear();
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
    add(added, size) {
      const request: RecordedRequest = { number: ++last, ...added };
      all.set(last, { request, bytes: size });
      bytes += size;
      if (all.size > limits.requests || bytes > limits.bytes) removeOldest();
      if (listeners.size === 0) return;
      const summary = summarizeRecord(request);
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
