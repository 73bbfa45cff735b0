/** Bytes that clients make the process hold, bounded together and for each network. */

export interface ByteHolder {
  readonly network: string;
  /** Ends what holds them. */
  readonly endHolder: () => void;
  bytes: number;
}

export interface ByteBudget {
  /** Beyond a bound, ends the holder with the most. */
  setHeld(holder: ByteHolder, bytes: number): void;
}

/** The share of one network. */
const SHARE = 1 / 4;

export function createByteBudget(most: number): ByteBudget {
  /** Only those that hold any. */
  const holders = new Set<ByteHolder>();
  const networks = new Map<string, number>();
  let total = 0;

  function recordHeld(holder: ByteHolder, bytes: number): void {
    const change = bytes - holder.bytes;
    if (change === 0) return;
    holder.bytes = bytes;
    total += change;
    const left = (networks.get(holder.network) ?? 0) + change;
    if (left > 0) networks.set(holder.network, left);
    else networks.delete(holder.network);
    if (bytes > 0) holders.add(holder);
    else holders.delete(holder);
  }

  function endHeaviest(network: string | null): void {
    let heaviest: ByteHolder | null = null;
    for (const one of holders)
      if ((network === null || one.network === network) && one.bytes > (heaviest?.bytes ?? 0)) heaviest = one;
    if (heaviest === null) return;
    recordHeld(heaviest, 0);
    heaviest.endHolder();
  }

  return {
    setHeld(holder, bytes) {
      recordHeld(holder, bytes);
      if ((networks.get(holder.network) ?? 0) > most * SHARE) endHeaviest(holder.network);
      if (total > most) endHeaviest(null);
    },
  };
}
