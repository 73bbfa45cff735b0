/** Lets Node's HTTP server treat only admitted WebSocket handshakes as upgrades; other requests receive HTTP responses. */
import { IncomingMessage } from 'node:http';

/** `admits` is called once for each upgrade request. */
export function createRequestClass(admits: (req: IncomingMessage) => boolean): typeof IncomingMessage {
  return class DoorRequest extends IncomingMessage {
    asksForUpgrade: unknown = null;
    isAdmitted: boolean | null = null;

    get upgrade(): unknown {
      if (this.asksForUpgrade !== true || this.method === 'CONNECT') return this.asksForUpgrade;
      return (this.isAdmitted ??= admits(this));
    }
    set upgrade(asks: unknown) {
      // Node's parser sets the property before it reads it.
      this.asksForUpgrade = asks;
    }
  };
}
