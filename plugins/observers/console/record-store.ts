/** The last records, bounded by count and size, and counts by resource since the start. */
import type { Recorder, Recording, RequestCounts } from '../../../contract/console.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';

export interface RecordStore {
  readonly view: Pick<Recorder, 'list' | 'find' | 'bytes' | 'clear' | 'counts' | 'subscribe'>;
  add(recording: Omit<Recording, 'number'>): void;
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
    add(record) {
      const recording: Recording = { number: ++last, ...record };
      const size = measureRecord(recording);
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

/** Bytes, about: of what memory holds, not of its JSON. */
function measureRecord({ headers, payload, claims, stages, steps, messages, answer, target }: Recording): number {
  const values = [headers, payload, claims, answer, ...stages.map(({ sent }) => sent), ...messages.map(({ to }) => to)];
  return 512 + (target?.length ?? 0) + stages.length * 160 + steps.length * 80 + values.reduce(addSize, 0);
}

function addSize(sum: number, value: unknown): number {
  if (typeof value === 'string') return sum + value.length + 16;
  if (typeof value !== 'object' || value === null) return sum + 8;
  let size = sum + 32;
  for (const [name, inner] of Object.entries(value)) size = addSize(size + name.length + 16, inner);
  return size;
}
