/** The config of outbound calls: allowed targets, timeouts and size limits. Plugins read it from their context. */
export interface Outbound {
  /** Non-public hosts, addresses and ranges, each with an optional port, that may be called. */
  readonly allow: readonly string[];
  /** The only ports that may be called, in addition to those in `allow`; empty: any. */
  readonly ports: readonly number[];
  /** A request may supply a whole URL. Such a URL never reaches the targets of `allow`. */
  readonly dynamic_hosts: boolean;
  /** PEM file of additional certificate authorities. */
  readonly ca: string | null;
  /** Maps a called `host:port` to the one that is dialled; host name and certificate check use the called one. */
  readonly connect_to: Readonly<Record<string, string>>;
  /** In seconds. */
  readonly timeouts: { readonly connect: number; readonly total: number; readonly most: number };
  /** Limits of a reply, after decompression. */
  readonly limits: {
    readonly reply: number;
    readonly depth: number;
    readonly keys: number;
    readonly array: number;
  };
}

/** The default: public addresses only. */
export const OUTBOUND: Outbound = {
  allow: [],
  ports: [],
  dynamic_hosts: false,
  ca: null,
  connect_to: {},
  timeouts: { connect: 3, total: 10, most: 60 },
  limits: { reply: 5_242_880, depth: 64, keys: 100_000, array: 100_000 },
};
