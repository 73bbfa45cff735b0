/** CUID version 1: `c`, time (8), counter (4), process (4), randomness (8), in base 36. */
import { randomInt } from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

const BLOCK = 36 ** 4;
const formatBlock = (value: number): string => value.toString(36).padStart(4, '0');
const randomBlock = (): string => formatBlock(randomInt(BLOCK));

export default defineRuntime(generator, {
  create: () => {
    const process = randomBlock();
    let time = 0;
    let count = 0;
    return {
      next: () => {
        const now = Date.now();
        if (now > time) [time, count] = [now, 0];
        // Preserves the order when the counter overflows or the system clock is set back.
        else if (++count === BLOCK) [time, count] = [time + 1, 0];
        return `c${time.toString(36).padStart(8, '0')}${formatBlock(count)}${process}${randomBlock()}${randomBlock()}`;
      },
    };
  },
});
