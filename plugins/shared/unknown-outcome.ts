/** The error of a write that may have taken effect must not ask for a repetition. */
import { Fault } from '../../contract/fault.js';

const PARAMS = { outcome: 'Whether the last statement took effect is not known.' };

export function toUnknownOutcome({ code, params, options }: Fault): Fault {
  const { headers: _, retryable: __, ...rest } = options;
  return new Fault(code, { ...params, ...PARAMS }, rest);
}
