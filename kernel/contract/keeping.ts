/** Describes the local data of plugins for `lintel backup` and `lintel restore`. */

export interface Kept {
  /** Absolute path. */
  readonly folder: string;
  /** Entries of the folder that a backup leaves out. */
  readonly without?: readonly string[];
  /**
   * Freezes the folder until the returned function is called, also when another process has it open. That function throws
   * when the folder changed meanwhile.
   */
  readonly hold?: () => Promise<() => Promise<void>>;
  /** Ensures that no process has the folder open, or opens it, until the returned function is called. Throws if one has. */
  readonly lock?: () => Promise<() => Promise<void>>;
}

/** A server holds the data. `elsewhere` describes how to back it up there. */
export interface KeptElsewhere {
  readonly elsewhere: string;
}

/** Suffix of the folder into which a restore writes. While it exists, no new store may be created in the folder itself. */
export const RESTORING = '.restoring';
