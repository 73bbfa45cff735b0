/** The time of a process, for code that knows no platform; handed in where it is needed. In milliseconds. */
export interface Clock {
  /** Of the monotonic clock. */
  readonly now: () => number;
  readonly wait: (time: number) => Promise<void>;
}
