/** Config fields of every scheduler, their check, and shared error codes. */
import { asText } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { isZone, listZoneNames } from '../../../language/strings/zone.js';
import { numeric, shape, text } from '../../../contract/combinators.js';

/** Seconds. */
const CATCH_UP = 86_400;

export const schedulerFields = shape({
  time_zone: text({
    doc: 'Default time zone of schedules, by its IANA name.',
    default: 'UTC',
    examples: ['Europe/Berlin'],
    language: 'zone',
  }).min(1),
  catch_up: numeric({
    doc: 'After a downtime, the latest missed run is started, unless it is older than this. 0: no missed run is started.',
    unit: 'seconds',
    default: CATCH_UP,
  })
    .integer()
    .min(0)
    .max(31_536_000),
});

export const zoneErrors = {
  CRN_ZONE: {
    severity: 'error',
    title: 'Unknown time zone',
    message: '"{name}" is not a time zone.{hint}',
    help: 'Zones have IANA names: `UTC`, `Europe/Berlin`, `America/New_York`. Abbreviations (`PST`) and offsets (`+02:00`) do not define daylight saving time.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export const ledgerErrors = {
  ...zoneErrors,
  CRN_ADDRESS: {
    status: 500,
    title: 'Address of the scheduler',
    message: 'The address of the scheduler is not one of {what}.',
    help: 'Write the whole address, with its scheme, into the variable that `url` names.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export function checkZone(written: unknown, at: string, nearest: CheckPlace['nearest']): Finding[] {
  const name = asText(written);
  if (name === '' || listAccessors(name).length > 0 || isZone(name)) return [];
  const near = nearest(name, listZoneNames());
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const fix = near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };
  return [{ code: 'CRN_ZONE', at, params: { name, hint }, ...fix }];
}

export const checkScheduler = ({ holder, nearest }: CheckPlace): Finding[] =>
  checkZone(holder['time_zone'], '/time_zone', nearest);

export const readSchedulerSettings = (
  options: Readonly<Record<string, unknown>>,
): { readonly zone: string; readonly catchUp: number } => ({
  zone: asText(options['time_zone']) || 'UTC',
  catchUp: (typeof options['catch_up'] === 'number' ? options['catch_up'] : CATCH_UP) * 1000,
});
