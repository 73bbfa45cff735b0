/** Combines a ledger with the schedule options, and validates the time zone. */
import { BootError } from '../../../contract/boot-error.js';
import { isZone } from '../../../language/strings/zone.js';
import { readSchedulerSettings } from './fields.light.js';
import type { Ledger, Scheduler } from '../kind.js';

export function withSettings(ledger: Ledger, options: Readonly<Record<string, unknown>>): Scheduler {
  const settings = readSchedulerSettings(options);
  if (!isZone(settings.zone)) throw new BootError('CRN_ZONE', { name: settings.zone, hint: '' });
  return { ...ledger, settings };
}

/** Caches the result of `make`, but not a failure. */
export function createOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
