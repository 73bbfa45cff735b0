/**
 * One computes, the others wait: whoever asks for an entry that is being computed gets the same bytes. When the one that
 * computes fails, one of those that wait takes its place.
 */
export interface Flight {
  readonly landed: Promise<Uint8Array | null>;
  /** Once; null: there is no value. */
  land(value: Uint8Array | null): void;
  over: boolean;
  /** Of the monotonic clock. */
  readonly since: number;
}

export interface Flights {
  get(entry: string): Flight | undefined;
  /** The caller computes from now on. */
  begin(entry: string): Flight;
  /** Nobody joins it any more. */
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

/** What a flight brings, or undefined when it takes longer than one waits. */
export async function landedWithin(flight: Flight, milliseconds: number): Promise<Uint8Array | null | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  try {
    return await Promise.race([flight.landed, late]);
  } finally {
    clearTimeout(timer);
  }
}
