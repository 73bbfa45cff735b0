/** Relays opened like in the kernel, with everything they deliver and log. It asserts nothing. */
import type { Delivery } from '../../contract/delivery.js';
import type { PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { Relay } from '../../plugins/relays/kind.js';
import redis from '../../plugins/relays/redis/runtime.js';
import type { OpenRelay, RelayOptions } from './relay-messages.js';

export * from './relay-messages.js';

export interface LoggedRelay extends OpenRelay {
  /** Messages of the log with their fields, in order. */
  readonly log: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
  readonly health: () => Promise<unknown>;
  readonly drain: () => Promise<void>;
}

export async function openRelay(runtime: PluginRuntime<Relay>, options: object): Promise<LoggedRelay> {
  const log: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const write = (fields: object, message: string): void => void log.push({ message, fields: fields as never });
  const got: Delivery[] = [];
  const running = { deliverMessage: (message: Delivery) => void got.push(message), registerReplay: () => undefined };
  const given = { options, log: { debug: write, info: write, warn: write, error: write }, running, instance: 'relay' };
  const context = given as unknown as RuntimeContext;
  const handle = runtime.create?.(context);
  if (handle === undefined) throw new Error('no handle');
  await runtime.open?.(handle, context);
  return {
    handle,
    got,
    log,
    health: async () => runtime.health?.(handle),
    drain: async () => runtime.drain?.(handle),
    close: async () => runtime.close?.(handle),
  };
}

export const openRedisRelay = (url: string, prefix: string, options: RelayOptions = {}): Promise<LoggedRelay> =>
  openRelay(redis, { url, prefix, ...options });
