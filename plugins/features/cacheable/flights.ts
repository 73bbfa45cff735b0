/**
 * Deduplicates computations within this process: concurrent requests for one entry share one computation. When it fails, a
 * waiting request takes over.
 */
export interface Flight {
  readonly landed: Promise<Uint8Array | null>;
  /** Settles the flight once; null: the computation failed. */
  land(value: Uint8Array | null): void;
  over: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
}

export interface Flights {
  get(entry: string): Flight | undefined;
  /** Registers the caller as the one that computes the entry. */
  begin(entry: string): Flight;
  /** Unregisters the flight, so that no further request joins it. */
  end(entry: string, flight: Flight): void;
}

export function createFlights(): Flights {
  const all = new Map<string, Flight>();
  return {
    get: (entry) => all.get(entry),
    begin(entry) {
      let resolve: Flight['land'] = () => undefined;
      const landed = new Promise<Uint8Array | null>((settle) => (resolve = settle));
      const flight: Flight = {
        landed,
        land(value) {
          flight.over = true;
          resolve(value);
        },
        over: false,
        since: performance.now(),
      };
      all.set(entry, flight);
      return flight;
    },
    end(entry, flight) {
      if (all.get(entry) === flight) all.delete(entry);
    },
  };
}

/** Returns the value of a flight, or undefined after `milliseconds`. */
export async function landedWithin(flight: Flight, milliseconds: number): Promise<Uint8Array | null | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  try {
    return await Promise.race([flight.landed, late]);
  } finally {
    clearTimeout(timer);
  }
}
