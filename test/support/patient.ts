/** Waits for what nobody announces: asks again and again, and gives up after ten seconds. */
import { pause } from './guarded.js';

export async function patient(check: () => Promise<boolean> | boolean, seconds = 10): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`did not happen within ${seconds} seconds`);
    await pause(10);
  }
}
