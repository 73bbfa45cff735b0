/**
 * How many transactions at a time may stay open while a hash is compared. Comparing takes long and waits in a line of its
 * own; without a bound a burst of sign-ins would hold every connection, and nobody else would get one.
 */
import { fault } from '../../../kernel/contract/fault.js';
import type { Turns } from '../../../kernel/contract/plan.js';

const AT_ONCE = 2;
const PLACES = 100;
/** Seconds. */
const RETRY_AFTER = '2';

export function createTurns(atOnce = AT_ONCE, places = PLACES): Turns {
  const line: (() => void)[] = [];
  let taken = 0;
  /** The turn goes to the next in line, so that nobody can slip in between. */
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) taken--;
    else next();
  };
  return {
    async take() {
      if (taken < atOnce) taken++;
      else if (line.length >= places) throw fault('VER_BUSY', {}, { headers: { 'retry-after': RETRY_AFTER } });
      else await new Promise<void>((resolve) => line.push(resolve));
      return leave;
    },
  };
}
