/** The time source of platform-free code, in milliseconds. */
export interface Clock {
  /** Monotonic time. */
  readonly now: () => number;
  readonly wait: (time: number) => Promise<void>;
}
