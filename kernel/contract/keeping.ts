/** What plugins keep on this machine, for those who copy it and put it back (`lintel backup`, `lintel restore`). */

export interface Kept {
  /** Absolute. */
  readonly folder: string;
  /** Names directly in the folder that no copy needs. */
  readonly without?: readonly string[];
  /**
   * Nothing in the folder changes until the result is called, also where another process has it open. The result throws where that
   * was not so to the end.
   */
  readonly hold?: () => Promise<() => Promise<void>>;
  /** No process has the folder open, and none opens it until the result is called. Throws where one has. */
  readonly lock?: () => Promise<() => Promise<void>>;
}

/** A server keeps it. `elsewhere`: how it is copied there, in words. */
export interface KeptElsewhere {
  readonly elsewhere: string;
}

/** Behind the name of a folder: what is put back is made there. As long as it is there, nothing may begin a new store in the folder. */
export const RESTORING = '.restoring';
