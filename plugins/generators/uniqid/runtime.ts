/** The time, then a random part; two ids of one millisecond get consecutive times. */
import { randomInt } from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

const PLACES = 9;
const randomDigit = (): string => randomInt(36).toString(36);

export default defineRuntime(generator, {
  create: () => {
    const origin = Array.from({ length: PLACES }, randomDigit).join('');
    let last = 0;
    return {
      next: () => {
        last = Math.max(Date.now(), last + 1);
        return last.toString(36).padStart(PLACES, '0') + origin;
      },
    };
  },
});
