/** Limits the memory of responses that clients do not read. */
import type { ServerResponse } from 'node:http';

interface UnreadResponse {
  readonly res: ServerResponse;
  readonly network: string;
  readonly bytes: number;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Enough for a reading client to receive the data in socket buffers. */
const GRACE_MS = 1000;

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

  add(res: ServerResponse, network: string, bytes: number): void {
    const held = { res, network, bytes, since: this.now() };
    this.#all.add(held);
    this.#bytes += bytes;
    const releaseResponse = (): void => {
      if (this.#all.delete(held)) this.#bytes -= bytes;
    };
    res.once('finish', releaseResponse);
    res.once('close', releaseResponse);
    this.#judge();
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
