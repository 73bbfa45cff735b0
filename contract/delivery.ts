/** A message to connected clients, as processes exchange it. */
import type { Json } from './json.js';

/** A uid is unique only among the callers of a guard. */
export interface UidNamespace {
  /** A key of the admitted callers, equal in all processes and not secret; null: no guard. */
  readonly realm: string | null;
  /** Also includes unauthenticated connections with any claimed uid. */
  readonly open: boolean;
}

/** Without `of`, recipients prove the uid, or claim it where there are no guards. */
export type Target =
  | { readonly all: true }
  | { readonly uids: readonly string[]; readonly of?: UidNamespace }
  | { readonly rooms: readonly string[] };

/** A message as it is sent between processes. */
export interface Delivery {
  readonly action: string;
  readonly data: Json;
  readonly to: Target;
  /** From which clients resume; null where messages are not retained. */
  readonly id: string | null;
}

/** Oldest first; null where some may be missing. */
export type Replay = (id: string) => Promise<readonly Delivery[] | null>;
