/**
 * Deduplicates computations within this process: concurrent requests for one entry share one computation. When it fails, a
 * waiting request takes over.
 */
export interface SharedComputation {
  readonly result: Promise<Uint8Array | null>;
  /** Settles the flight once; null: the computation failed. */
  complete(value: Uint8Array | null): void;
  over: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
}

export interface SharedComputations {
  get(entry: string): SharedComputation | undefined;
  /** Registers the caller as the one that computes the entry. */
  register(entry: string): SharedComputation;
  /** Unregisters the flight, so that no further request joins it. */
  unregister(entry: string, flight: SharedComputation): void;
}

export function createComputations(): SharedComputations {
  const all = new Map<string, SharedComputation>();
  return {
    get: (entry) => all.get(entry),
    register(entry) {
      let resolve: SharedComputation['complete'] = () => undefined;
      const landed = new Promise<Uint8Array | null>((settle) => (resolve = settle));
      const flight: SharedComputation = {
        result: landed,
        complete(value) {
          flight.over = true;
          resolve(value);
        },
        over: false,
        since: performance.now(),
      };
      all.set(entry, flight);
      return flight;
    },
    unregister(entry, flight) {
      if (all.get(entry) === flight) all.delete(entry);
    },
  };
}

/** Returns the value of a flight, or undefined after `milliseconds`. */
export async function awaitComputation(
  flight: SharedComputation,
  milliseconds: number,
): Promise<Uint8Array | null | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  try {
    return await Promise.race([flight.result, late]);
  } finally {
    clearTimeout(timer);
  }
}
