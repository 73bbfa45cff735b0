/** The last records, bounded by count and size, and counts by resource since the start. */
import type { Recorder, Recording, RequestCounts } from '../../../contract/console.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';

export interface RecordStore {
  readonly view: Pick<Recorder, 'list' | 'find' | 'bytes' | 'clear' | 'counts' | 'subscribe'>;
  /** `size`: bytes, about, of what it holds. */
  add(recording: Omit<Recording, 'number'>, size: number): void;
  count(record: InvocationRecord): void;
}

/** Of each resource, for the median and others. */
const MOST_TIMES = 512;

export function createRecordStore(limits: Recorder['limits']): RecordStore {
  const all = new Map<number, { readonly recording: Recording; readonly bytes: number }>();
  const counts = new Map<string, RequestCounts>();
  const listeners = new Set<(recording: Recording) => void>();
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
      list: () => [...all.values()].map(({ recording }) => recording),
      find: (number) => all.get(number)?.recording ?? null,
      get bytes() {
        return bytes;
      },
      clear() {
        all.clear();
        bytes = 0;
      },
      counts,
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    add(record, size) {
      const recording: Recording = { number: ++last, ...record };
      all.set(last, { recording, bytes: size });
      bytes += size;
      removeOldest();
      for (const listener of listeners) listener(recording);
    },
    count({ resource = '-', code, milliseconds }) {
      let found = counts.get(resource);
      if (found === undefined) counts.set(resource, (found = { count: 0, codes: new Map(), times: [] }));
      found.times[found.count++ % MOST_TIMES] = milliseconds;
      if (code !== undefined) found.codes.set(code, (found.codes.get(code) ?? 0) + 1);
    },
  };
}
