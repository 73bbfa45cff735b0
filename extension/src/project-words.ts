/**
 * Stores the status that the server reports for each project. Pure. Normalizes URIs, because an editor writes `c%3A` where the
 * server writes `c:`.
 */

/** Payload of `lintel/status`. */
export interface ServerStatus {
  /** URI of the folder that contains the config file. */
  readonly root?: string;
  readonly resources: number;
  readonly models: number;
  readonly profile?: string | null;
  /** Plugins loaded from manifests, with their versions. */
  readonly manifests?: readonly { readonly name: string; readonly version: string }[];
}

/** Payload of `lintel/reading`. */
export interface ServerReading {
  readonly root?: string;
}

export interface ProjectWords {
  /** Called when the server restarts. */
  clear(): void;
  reading(said: ServerReading): void;
  status(said: ServerStatus): void;
  /** `folder`: URI of the project's folder; undefined selects any project. */
  of(folder: string | undefined): { readonly isRead: boolean; readonly status: ServerStatus | undefined };
}

export function createProjectWords(): ProjectWords {
  const known = new Map<string, ServerStatus>();
  const unread = new Set<string>();
  /** A server that sends no root has one project. */
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
