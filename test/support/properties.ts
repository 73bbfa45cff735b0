/**
 * fast-check, whose cases follow from the seed of the run: `--seed` repeats the same ones. Property tests import it
 * from here.
 */
import fc from 'fast-check';
import { createSeededRandom } from './random-edits.js';
import { runSeed } from './sample.js';

fc.configureGlobal({ seed: createSeededRandom(runSeed).below(2 ** 31) });

/** Any characters. fast-check's `unit: 'binary'` is the same, but takes a second of processor time to set up. */
export const generateText = (length: fc.ArrayConstraints = {}): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 9, arbitrary: fc.nat(0xd7ff) }, fc.integer({ min: 0xe000, max: 0x10ffff })), length)
    .map((points) => String.fromCodePoint(...points));

export { fc };
