/**
 * Kind `relay`: carries messages for connected clients from the process where something happened to every process that
 * has clients, and keeps the last ones for clients that come back. The config chooses one.
 */
import type { Delivery } from '../../kernel/contract/deferred.js';
import { defineKind } from '../../kernel/contract/kind.js';

export interface Relay {
  /**
   * Sends a message to all processes, this one included: each hands it to `running.deliver`, once, in the same order.
   * Rejects with the Fault RLY_AWAY when the others cannot be reached, after a second at most; this process has it then all
   * the same. A relay that keeps messages keeps it for the others, too, and does not reject. Rejects with RLY_LARGE what is too large to be sent; then nobody has it.
   */
  publish(message: Omit<Delivery, 'id'>): Promise<void>;
  /**
   * The messages after the one with this id, oldest first, whomever they are meant for; null where the id is too old, or none
   * of this relay's: then some may be missing, and nobody knows which. Always null where the config keeps none.
   */
  since(id: string): Promise<readonly Delivery[] | null>;
}

const USE = { say: 'which one it is says `"use"`', rename: 'use' };

export const relay = defineKind<Relay>({
  kind: 'relay',
  title: 'Relay',
  summary: 'Carries messages for connected clients between processes.',
  slots: ['config.relay'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'relay',
    doc: 'Carries messages for connected clients between processes.',
    aliases: ['broadcast', 'broadcasts', 'pubsub', 'pub_sub', 'messages'],
    many: false,
    load: 'when-required',
    default: ({ has }) => (has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : 'local'),
  },
  mistaken: {
    'config.relay': {
      type: USE,
      kind: USE,
      driver: USE,
      provider: USE,
      backend: USE,
      adapter: USE,
      history: { say: 'what clients missed is kept with `"replay": true`', rename: 'replay' },
    },
  },
  facts: {
    shared: {
      doc: 'Messages reach the clients of all processes that are configured alike.',
      type: 'boolean',
      required: true,
    },
  },
  handle: ['publish', 'since'],
  host: (fragment) => ({ file: 'config', json: { relay: fragment }, at: '/relay' }),
});
