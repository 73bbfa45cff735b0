/** The time source for platform-free code, passed in by the caller. All times are in milliseconds. */
export interface Clock {
  /** Monotonic time. */
  readonly now: () => number;
  readonly wait: (time: number) => Promise<void>;
}
