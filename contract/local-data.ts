/** Local data of plugins, for `lintel backup` and `lintel restore`. */

export interface StoredFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Entries that a backup leaves out. */
  readonly without?: readonly string[];
  /**
   * Freezes the folder, even if another process has it open, until the returned function is called. That function throws when
   * the folder changed meanwhile.
   */
  readonly hold?: () => Promise<() => Promise<void>>;
  /** Keeps all processes from opening the folder until the returned function is called. Throws when one has it open. */
  readonly lock?: () => Promise<() => Promise<void>>;
}

/** A server holds the data; `elsewhere` describes how to back it up. */
export interface RemoteStorage {
  readonly elsewhere: string;
}

/** Suffix of the folder into which a restore copies. While it exists, no new store may be created in the folder itself. */
export const RESTORING = '.restoring';
