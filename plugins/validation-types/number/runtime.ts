/** Judges numbers: finite, exact as whole numbers, inside their bounds. Text is converted only where nothing else can be sent. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { validationType } from '../../kinds/validation-type.js';

/** A number as JSON writes it: no blanks, no plus sign, no leading zeros, no other bases. */
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Minus zero is zero; what is too large for a number stays text and is refused as such. */
function fromText(sent: unknown): unknown {
  if (typeof sent !== 'string' || !NUMERAL.test(sent)) return sent;
  const value = Number(sent) + 0;
  return Number.isFinite(value) ? value : sent;
}

export default defineRuntime(validationType, {
  create: () => ({
    compile: ({ min, max, integer }) => {
      const low = typeof min === 'number' ? min : -Infinity;
      const high = typeof max === 'number' ? max : Infinity;
      return (value, pointer, issues) => {
        const refuse = (code: string, detail: string): void => void issues.push({ pointer, code, detail });
        if (typeof value !== 'number' || !Number.isFinite(value)) refuse('type', 'must be a number');
        else if (Number.isInteger(value) && !Number.isSafeInteger(value))
          refuse('exact', 'is beyond 2^53 - 1 and would lose digits');
        else if (integer === true && !Number.isInteger(value)) refuse('integer', 'must be a whole number');
        else if (value < low) refuse('min', `must be at least ${low}`);
        else if (value > high) refuse('max', `must be at most ${high}`);
      };
    },
    fromText,
    sample: ({ min, max, integer }) => {
      const low = typeof min === 'number' ? Math.ceil(min) : 1;
      const high = typeof max !== 'number' ? Infinity : integer === true ? Math.floor(max) : max;
      return Math.min(Math.max(low, 1), high);
    },
  }),
});
