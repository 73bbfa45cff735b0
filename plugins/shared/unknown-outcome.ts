/** Of a write that may have taken effect: its error must not invite the caller to repeat it. */
import { Fault } from '../../contract/fault.js';

const PARAMS = { outcome: 'Whether the last statement took effect is not known.' };

export function toUnknownOutcome({ code, params, options }: Fault): Fault {
  const { headers: _, retryable: __, ...rest } = options;
  return new Fault(code, { ...params, ...PARAMS }, rest);
}
