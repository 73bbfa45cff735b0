/** Local data of plugins, for `lintel backup` and `lintel restore`. */

export interface StoredFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Entries that a backup leaves out. */
  readonly without?: readonly string[];
  /**
   * Freezes the folder, even if another process has it open, until the returned function is called, which throws when
   * it changed.
   */
  readonly hold?: () => Promise<() => Promise<void>>;
  /** Keeps processes from opening the folder until the returned function is called. Throws when one has it open. */
  readonly lock?: () => Promise<() => Promise<void>>;
}

/** `elsewhere` describes how to back up a server's data. */
export interface RemoteStorage {
  readonly elsewhere: string;
}

/** Suffix of the folder that a restore fills. While it exists, no store may be created in the folder itself. */
export const RESTORING = '.restoring';
