/**
 * What the config says of calls that leave: where they may go, how long they may take, how much may come back. Plugins that
 * call others read it from their context; nothing here calls anybody.
 */
export interface Outbound {
  /** Hosts, addresses, ranges, each perhaps with a port, that may be called although they are not public. */
  readonly allow: readonly string[];
  /** The only ports that may be called, beside those that `allow` names; empty: any. */
  readonly ports: readonly number[];
  /** A whole address may come from a request. It never reaches what `allow` opens. */
  readonly dynamic_hosts: boolean;
  /** File with further authorities that are trusted, PEM. */
  readonly ca: string | null;
  /** `host:port` as called to `host:port` as dialled; names and certificates stay those of the first. */
  readonly connect_to: Readonly<Record<string, string>>;
  /** In seconds. */
  readonly timeouts: { readonly connect: number; readonly total: number; readonly most: number };
  /** Of a reply, after decompression. */
  readonly limits: {
    readonly reply: number;
    readonly depth: number;
    readonly keys: number;
    readonly array: number;
  };
}

/** What holds where the config is silent: public addresses only. */
export const OUTBOUND: Outbound = {
  allow: [],
  ports: [],
  dynamic_hosts: false,
  ca: null,
  connect_to: {},
  timeouts: { connect: 3, total: 10, most: 60 },
  limits: { reply: 5_242_880, depth: 64, keys: 100_000, array: 100_000 },
};
