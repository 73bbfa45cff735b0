/** Fields and error codes of every relay. Data only. */
import type { CodeEntry } from '../../../contract/problem.js';
import { flag, numeric } from '../../../contract/combinators.js';

/** Maximum bytes of one message as JSON. */
export const MAX_MESSAGE = 262_144;
export const DEFAULT_KEEP = 120;
export const DEFAULT_MOST = 1000;

export const relayFields = {
  replay: flag({
    doc:
      'Every message has an `id`, and a client that reconnects with `last_id` receives the messages it missed. Without it, messages are ' +
      '`{uid, action, data}`.',
    default: false,
  }),
  keep: numeric({ doc: 'How long a message is stored.', unit: 'seconds', default: DEFAULT_KEEP })
    .integer()
    .min(5)
    .max(86_400),
  most: numeric({ doc: 'Maximum number of stored messages.', unit: 'messages', default: DEFAULT_MOST })
    .integer()
    .min(10)
    .max(100_000),
};

export const relayErrors = {
  RLY_AWAY: {
    status: 503,
    title: 'Relay not available',
    message: 'Other processes cannot be reached at the moment.',
    help: 'The relay of the config (Redis) refused or lost the connection, did not answer within a second, or is full. Clients of this process got the message; those of others did not, or not yet.',
  },
  RLY_LARGE: {
    status: 413,
    title: 'Message too large',
    message: 'The message to connected clients is longer than {max} bytes of JSON.',
    help: 'List the fields to send in `returnables` of the actionable: with an identifier, clients can request the rest.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
