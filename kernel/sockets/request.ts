/**
 * Which requests leave HTTP: Node asks `upgrade` of each one before it hands it on. All others, whatever upgrade they ask for,
 * stay requests, and get the answers of HTTP.
 */
import { IncomingMessage } from 'node:http';

/** `admits` is asked once for each request that asks for an upgrade, with its headers complete. */
export function requestClass(admits: (req: IncomingMessage) => boolean): typeof IncomingMessage {
  return class DoorRequest extends IncomingMessage {
    asksForUpgrade: unknown = null;
    isAdmitted: boolean | null = null;

    get upgrade(): unknown {
      if (this.asksForUpgrade !== true || this.method === 'CONNECT') return this.asksForUpgrade;
      return (this.isAdmitted ??= admits(this));
    }
    set upgrade(asks: unknown) {
      // Node repeats what it was told here.
      this.asksForUpgrade = asks;
    }
  };
}
