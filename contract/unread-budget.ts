/** Limits the memory of responses that clients do not read. */
import type { Clock } from './clock.js';

/** Node's response. */
export interface EndableResponse {
  once(event: string, listener: () => void): unknown;
  destroy(): unknown;
}

export interface UnreadResponse {
  readonly res: EndableResponse;
  readonly network: string;
  /** Bytes that its client has taken so far. */
  readonly countTaken: () => number;
  bytes: number;
  /** What the client had taken when progress was last measured. */
  taken: number;
  /** Monotonic milliseconds. */
  readonly addedAt: number;
  measuredAt: number;
  /** Of the last progress that was seen. */
  movedAt: number;
  /** Bytes that were taken in a millisecond before the last measurement. */
  pace: number;
}

/** For a reading client to receive what sockets buffer. */
const GRACE_MS = 1000;

/** Shorter times say nothing about the pace of a client. */
const MEASURE_MS = GRACE_MS / 2;

/** Bytes that every response may hold while it is written. */
const OWN = 1_048_576;

export class UnreadBudget {
  readonly #all = new Set<UnreadResponse>();
  #bytes = 0;
  #isWatched = false;

  /** `most`: maximum bytes of all responses. */
  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  add(res: EndableResponse, network: string, bytes: number, countTaken: () => number): UnreadResponse {
    const now = this.clock.now();
    const times = { addedAt: now, measuredAt: now, movedAt: now };
    const held = { res, network, countTaken, bytes, taken: countTaken(), pace: 0, ...times };
    this.#all.add(held);
    this.#bytes += bytes;
    const releaseResponse = (): void => {
      if (this.#all.delete(held)) this.#bytes -= held.bytes;
    };
    for (const end of ['finish', 'close']) res.once(end, releaseResponse);
    this.#endSlowest();
    return held;
  }

  /** True: the response may hold more. Half of the limit is for those still written. */
  setHeld(held: UnreadResponse, bytes: number): boolean {
    if (this.#all.has(held)) this.#bytes += bytes - held.bytes;
    if (bytes < held.bytes) held.movedAt = this.clock.now();
    held.bytes = bytes;
    return bytes < OWN || this.#bytes < this.most / 2;
  }

  /** Destroys responses of the network that holds most, the longest still first, then the slowest. */
  #endSlowest(): void {
    while (this.#bytes > this.most) {
      const slowest = this.#findSlowest();
      if (slowest === null) break;
      this.#all.delete(slowest);
      this.#bytes -= slowest.bytes;
      slowest.res.destroy();
    }
    if (this.#bytes > this.most && !this.#isWatched) void this.#watchHeld();
  }

  async #watchHeld(): Promise<void> {
    this.#isWatched = true;
    await this.clock.wait(GRACE_MS / 2);
    this.#isWatched = false;
    this.#endSlowest();
  }

  #findSlowest(): UnreadResponse | null {
    const now = this.clock.now();
    const before = now - GRACE_MS;
    for (const one of this.#all) measureProgress(one, now);
    const all = [...this.#all].filter(({ bytes }) => bytes > 0);
    const standing = all.filter(({ movedAt }) => movedAt <= before).sort((one, other) => one.movedAt - other.movedAt);
    if (standing.length > 0) return findOfLargest(standing);
    const moving = all.filter(({ addedAt, pace }) => addedAt <= before && pace > 0);
    return findOfLargest(moving.sort((one, other) => one.pace - other.pace));
  }
}

function measureProgress(one: UnreadResponse, now: number): void {
  const elapsed = now - one.measuredAt;
  if (elapsed < MEASURE_MS) return;
  const taken = one.countTaken();
  one.pace = (taken - one.taken) / elapsed;
  if (taken > one.taken) one.movedAt = now;
  one.taken = taken;
  one.measuredAt = now;
}

/** The first of the network that holds most. */
function findOfLargest(sorted: readonly UnreadResponse[]): UnreadResponse | null {
  const sums = new Map<string, number>();
  for (const { network, bytes } of sorted) sums.set(network, (sums.get(network) ?? 0) + bytes);
  const [most] = [...sums].sort(([, one], [, other]) => other - one);
  return sorted.find(({ network }) => network === most?.[0]) ?? null;
}
