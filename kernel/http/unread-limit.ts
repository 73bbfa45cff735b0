/** Limits the memory of responses that clients do not read. */
import type { ServerResponse } from 'node:http';

export interface UnreadResponse {
  readonly res: ServerResponse;
  readonly network: string;
  bytes: number;
  /** Monotonic milliseconds. */
  since: number;
}

/** Enough for a reading client to receive the data in socket buffers. */
const GRACE_MS = 1000;

/** Bytes that every response may hold while it is written. */
const OWN = 1_048_576;

export class Unread {
  /** Oldest first. */
  readonly #all = new Set<UnreadResponse>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `most`: maximum bytes of all responses. */
  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  add(res: ServerResponse, network: string, bytes: number): UnreadResponse {
    const held = { res, network, bytes, since: this.now() };
    this.#all.add(held);
    this.#bytes += bytes;
    const releaseResponse = (): void => {
      if (this.#all.delete(held)) this.#bytes -= held.bytes;
    };
    for (const end of ['finish', 'close']) res.once(end, releaseResponse);
    this.#judge();
    return held;
  }

  /** For a response that is still written. True: it may hold more, half of the limit being for all such responses. */
  resize(held: UnreadResponse, bytes: number): boolean {
    if (this.#all.has(held)) this.#bytes += bytes - held.bytes;
    if (bytes < held.bytes) held.since = this.now();
    held.bytes = bytes;
    return bytes < OWN || this.#bytes < this.most / 2;
  }

  /** Destroys the oldest responses of the network that holds most. */
  #judge(): void {
    while (this.#bytes > this.most) {
      const victim = this.#victim();
      if (victim === null) break;
      this.#all.delete(victim);
      this.#bytes -= victim.bytes;
      victim.res.destroy();
    }
    if (this.#bytes <= this.most || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#judge();
    }, GRACE_MS / 2);
    this.#timer.unref();
  }

  #victim(): UnreadResponse | null {
    const before = this.now() - GRACE_MS;
    const late = [...this.#all].filter(({ since }) => since <= before);
    const sums = new Map<string, number>();
    for (const { network, bytes } of late) sums.set(network, (sums.get(network) ?? 0) + bytes);
    const [most] = [...sums].sort(([, one], [, other]) => other - one);
    return late.find(({ network }) => network === most?.[0]) ?? null;
  }
}
