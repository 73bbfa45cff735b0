/** Token bucket: a sustained rate with a burst allowance, and a `flood` result for persistent abusers. */

/** `over`: reject this one. `flood`: close the connection. */
export type RateResult = 'fine' | 'over' | 'flood';

/** `flood` begins at this multiple of the rate. */
const PATIENCE = 5;

/** `rate` is per second; `now` is monotonic milliseconds. */
export function createRateLimiter(rate: number): (now: number) => RateResult {
  let allowance = rate;
  let excess = 0;
  let last = -Infinity;
  return (now) => {
    const gained = ((now - last) / 1000) * rate;
    last = now;
    allowance = Math.min(rate, allowance + gained);
    excess = Math.max(0, excess - gained);
    if (allowance >= 1) {
      allowance -= 1;
      return 'fine';
    }
    excess += 1;
    return excess > (PATIENCE - 1) * rate ? 'flood' : 'over';
  };
}
