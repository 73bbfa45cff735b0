/**
 * How many transactions at a time may stay open while a hash is compared. Comparing takes long and waits in a line of its
 * own; without a bound a burst of sign-ins would hold every connection, and nobody else would get one.
 */
import { fault } from '../../../kernel/contract/fault.js';
import { createLine } from '../../../kernel/contract/line.js';
import type { Turns } from '../../../kernel/contract/plan.js';
import { clock } from '../../../kernel/platform/clock.js';

const AT_ONCE = 2;
const PLACES = 100;
export const createTurns = (atOnce = AT_ONCE, places = PLACES): Turns =>
  createLine(
    atOnce,
    places,
    (seconds) => fault('VER_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );
