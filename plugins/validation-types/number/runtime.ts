/** Validates numbers. Text is converted only where a request can send nothing else. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { compareNumbers, toExactNumber, isBeyondDouble } from '../../../language/strings/exact-json.js';
import { validationType } from '../kind.js';

/** The JSON number syntax. */
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Negative zero becomes zero; numbers out of range stay text and are rejected as such. */
function fromText(sent: unknown): unknown {
  if (typeof sent !== 'string' || !NUMERAL.test(sent)) return sent;
  return isBeyondDouble(sent) ? sent : (toExactNumber(sent) ?? sent);
}

const isNumber = (value: unknown): value is number | ExactNumber =>
  value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value));
const isWhole = (value: number | ExactNumber): boolean =>
  typeof value === 'number' ? Number.isInteger(value) : value.isWhole;

export default defineRuntime(validationType, {
  create: () => ({
    compile: ({ min, max, integer }) => {
      const low = typeof min === 'number' ? min : -Infinity;
      const high = typeof max === 'number' ? max : Infinity;
      return (value, pointer, issues) => {
        const addIssue = (code: string, detail: string): void => void issues.push({ pointer, code, detail });
        if (!isNumber(value)) addIssue('type', 'must be a number');
        else if (integer === true && !isWhole(value)) addIssue('integer', 'must be a whole number');
        else if (compareNumbers(value, low) < 0) addIssue('min', `must be at least ${low}`);
        else if (compareNumbers(value, high) > 0) addIssue('max', `must be at most ${high}`);
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
