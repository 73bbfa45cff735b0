/** The config of outbound calls, for plugins. */
export interface Outbound {
  /** Non-public hosts, addresses and ranges that may be called. */
  readonly allow: readonly string[];
  /** Only these, and those of `allow`; empty: any. */
  readonly ports: readonly number[];
  /** A request may supply a URL, which never reaches targets of `allow`. */
  readonly dynamic_hosts: boolean;
  /** PEM file of additional authorities. */
  readonly ca: string | null;
  /** From the called to the dialled `host:port`; certificates are for the called one. */
  readonly connect_to: Readonly<Record<string, string>>;
  /** Set by `lintel test`: the `host:port` that receives every call. */
  readonly stand_in?: string;
  /** Seconds. */
  readonly timeouts: { readonly connect: number; readonly total: number; readonly most: number };
  /** Limits of a reply after decompression. */
  readonly limits: {
    readonly reply: number;
    readonly depth: number;
    readonly keys: number;
    readonly array: number;
  };
}

/** Default: public addresses only. */
export const OUTBOUND: Outbound = {
  allow: [],
  ports: [],
  dynamic_hosts: false,
  ca: null,
  connect_to: {},
  timeouts: { connect: 3, total: 10, most: 60 },
  limits: { reply: 5_242_880, depth: 64, keys: 100_000, array: 100_000 },
};
