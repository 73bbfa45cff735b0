/**
 * Limits the transactions that stay open during a hash comparison. Without a bound, a burst of sign-ins would hold every
 * database connection.
 */
import { createFault } from '../../../contract/fault.js';
import { createLimiter } from '../../../contract/limiter.js';
import type { StepLimiter } from '../../../contract/plan.js';
import { clock } from '../../../language/project/clock.js';

const AT_ONCE = 2;
const PLACES = 100;
export const createStepLimiter = (atOnce = AT_ONCE, places = PLACES): StepLimiter =>
  createLimiter(
    atOnce,
    places,
    (seconds) => createFault('VER_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );
