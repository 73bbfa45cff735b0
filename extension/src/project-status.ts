/** The status that the server reports for each project. Normalizes URIs: an editor writes `c%3A` for `c:`. */

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

export interface ProjectStatusStore {
  /** Called when the server restarts. */
  clear(): void;
  setReading(next: ServerReading): void;
  setStatus(next: ServerStatus): void;
  /** `folder`: URI of the project's folder; undefined selects any project. */
  get(folder: string | undefined): { readonly isRead: boolean; readonly status: ServerStatus | undefined };
}

export function createProjectStatusStore(): ProjectStatusStore {
  const known = new Map<string, ServerStatus>();
  const unread = new Set<string>();
  /** A server that sends no root has one project. */
  const toKey = (root: string | undefined): string => (root === undefined ? '' : decodeUri(root));
  return {
    clear() {
      known.clear();
      unread.clear();
    },
    setReading: ({ root }) => void unread.add(toKey(root)),
    setStatus(next) {
      unread.delete(toKey(next.root));
      known.set(toKey(next.root), next);
    },
    get(folder) {
      const keys = folder === undefined ? [...unread, ...known.keys()] : [toKey(folder), ''];
      const key = keys.find((one) => unread.has(one) || known.has(one));
      return { isRead: key === undefined || !unread.has(key), status: key === undefined ? undefined : known.get(key) };
    },
  };
}

function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
