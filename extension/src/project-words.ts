/**
 * What the language server has said of each project: that it is being read, and then what it holds. Pure; addresses are compared
 * as what they mean, because an editor writes `c%3A` where a server writes `c:`.
 */

/** `lintel/status`. */
export interface ServerStatus {
  /** URI of the folder with the config file. */
  readonly root?: string;
  readonly resources: number;
  readonly models: number;
  readonly profile?: string | null;
  /** Plugins that came as manifests, with their versions. */
  readonly manifests?: readonly { readonly name: string; readonly version: string }[];
}

/** `lintel/reading`. */
export interface ServerReading {
  readonly root?: string;
}

export interface ProjectWords {
  /** Begins anew, as the server does. */
  clear(): void;
  reading(said: ServerReading): void;
  status(said: ServerStatus): void;
  /** Of the project in a folder; without one, of whichever is told. */
  of(folder: string | undefined): { readonly isRead: boolean; readonly status: ServerStatus | undefined };
}

export function createProjectWords(): ProjectWords {
  const known = new Map<string, ServerStatus>();
  const unread = new Set<string>();
  /** A server that names no folder has one project. */
  const keyOf = (root: string | undefined): string => (root === undefined ? '' : plain(root));
  return {
    clear() {
      known.clear();
      unread.clear();
    },
    reading: ({ root }) => void unread.add(keyOf(root)),
    status(said) {
      unread.delete(keyOf(said.root));
      known.set(keyOf(said.root), said);
    },
    of(folder) {
      const keys = folder === undefined ? [...unread, ...known.keys()] : [keyOf(folder), ''];
      const key = keys.find((one) => unread.has(one) || known.has(one));
      return { isRead: key === undefined || !unread.has(key), status: key === undefined ? undefined : known.get(key) };
    },
  };
}

function plain(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
