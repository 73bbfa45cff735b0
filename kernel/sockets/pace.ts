/** How often somebody may do something: so many times a second, a little more at once, and an end for who goes on and on. */

/** `over`: this one is not taken. `flood`: nothing more should be. */
export type Verdict = 'fine' | 'over' | 'flood';

/** Beyond so many times of what is allowed it is a flood. */
const PATIENCE = 5;

/** `now`: milliseconds of a clock that only goes forward. */
export function createPace(rate: number): (now: number) => Verdict {
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
