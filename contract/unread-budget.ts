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
  bytes: number;
  /** Monotonic milliseconds. */
  since: number;
}

/** Enough for a reading client to receive the data in socket buffers. */
const GRACE_MS = 1000;

/** Bytes that every response may hold while it is written. */
const OWN = 1_048_576;

export class UnreadBudget {
  /** Oldest first. */
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

  add(res: EndableResponse, network: string, bytes: number): UnreadResponse {
    const held = { res, network, bytes, since: this.clock.now() };
    this.#all.add(held);
    this.#bytes += bytes;
    const releaseResponse = (): void => {
      if (this.#all.delete(held)) this.#bytes -= held.bytes;
    };
    for (const end of ['finish', 'close']) res.once(end, releaseResponse);
    this.#endOldest();
    return held;
  }

  /** For a response that is still written. True: it may hold more, half of the limit being for all such responses. */
  setHeld(held: UnreadResponse, bytes: number): boolean {
    if (this.#all.has(held)) this.#bytes += bytes - held.bytes;
    if (bytes < held.bytes) held.since = this.clock.now();
    held.bytes = bytes;
    return bytes < OWN || this.#bytes < this.most / 2;
  }

  /** Destroys the oldest responses of the network that holds most. */
  #endOldest(): void {
    while (this.#bytes > this.most) {
      const oldest = this.#findOldest();
      if (oldest === null) break;
      this.#all.delete(oldest);
      this.#bytes -= oldest.bytes;
      oldest.res.destroy();
    }
    if (this.#bytes > this.most && !this.#isWatched) void this.#watchHeld();
  }

  async #watchHeld(): Promise<void> {
    this.#isWatched = true;
    await this.clock.wait(GRACE_MS / 2);
    this.#isWatched = false;
    this.#endOldest();
  }

  #findOldest(): UnreadResponse | null {
    const before = this.clock.now() - GRACE_MS;
    const late = [...this.#all].filter(({ since, bytes }) => since <= before && bytes > 0);
    const sums = new Map<string, number>();
    for (const { network, bytes } of late) sums.set(network, (sums.get(network) ?? 0) + bytes);
    const [most] = [...sums].sort(([, one], [, other]) => other - one);
    return late.find(({ network }) => network === most?.[0]) ?? null;
  }
}
