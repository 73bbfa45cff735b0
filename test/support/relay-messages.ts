/** Messages that a relay delivers, and a relay as its contract gets it. Imports no relay. */
import type { Delivery } from '../../contract/delivery.js';
import type { Relay } from '../../plugins/relays/kind.js';

export interface OpenRelay {
  readonly handle: Relay;
  /** The arguments of `running.deliver`, in order. */
  readonly got: readonly Delivery[];
  readonly close: () => Promise<void>;
}

export interface RelayOptions {
  readonly replay?: boolean;
  /** Seconds. */
  readonly keep?: number;
  readonly most?: number;
}

export const createDelivery = (action: string, data: Delivery['data'] = null): Omit<Delivery, 'id'> => ({
  action,
  data,
  to: { all: true },
});

export const listActions = (got: readonly Delivery[]): string[] => got.map(({ action }) => action);
