/** The conformance operation of schedules: an expression, a zone and an instant in, the next instants out. */
import { readCron } from '../../language/strings/cron.js';
import { listNextInstants } from '../../language/strings/cron-next.js';
import { isZone } from '../../language/strings/zone.js';
import { readTextInput, type Ops } from './ops.js';

const MOST = 1000;

export const ops: Ops = {
  'cron.next': (input) => {
    const { cron, flaws } = readCron(readTextInput(input, 'expression'));
    if (cron === null) return { ok: false, error: flaws.map(({ what }) => what).join('; ') };
    const zone = readTextInput(input, 'zone') || 'UTC';
    if (!isZone(zone)) return { ok: false, error: 'no such time zone' };
    const from = typeof input['from'] === 'number' ? input['from'] : Date.parse(readTextInput(input, 'from'));
    const count = Number(input['n'] ?? 1);
    if (Number.isNaN(from) || !(count >= 1 && count <= MOST)) return { ok: false, error: 'no such instant or number' };
    return {
      ok: true,
      out: listNextInstants(cron, zone, from, count).map((instant) => new Date(instant).toISOString()),
    };
  },
};
