/**
 * Limits the transactions that stay open during a hash comparison. Without a bound, a burst of sign-ins would hold every
 * database connection.
 */
import { fault } from '../../../contract/fault.js';
import { createLine } from '../../../contract/line.js';
import type { Turns } from '../../../contract/plan.js';
import { clock } from '../../../language/project/clock.js';

const AT_ONCE = 2;
const PLACES = 100;
export const createTurns = (atOnce = AT_ONCE, places = PLACES): Turns =>
  createLine(
    atOnce,
    places,
    (seconds) => fault('VER_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );
