/** Rejections and failures of requests, as the exceptions of a debugger. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Fault } from '../../contract/fault.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';

const REJECTED = 'rejected';
const FAILED = 'failed';

const CONDITION = 'Codes such as VAL_PAYLOAD, separated by commas; empty: all.';

export const FAULT_FILTERS: DebugProtocol.ExceptionBreakpointsFilter[] = [
  {
    filter: REJECTED,
    label: 'Rejected requests',
    description: 'Stops where a guard, a rule or a required result rejects a request (status 4xx).',
    supportsCondition: true,
    conditionDescription: CONDITION,
  },
  {
    filter: FAILED,
    label: 'Failed requests',
    description: 'Stops where the work of an actionable fails (status 5xx).',
    supportsCondition: true,
    conditionDescription: CONDITION,
  },
];

export function createFaultFilter(
  { filters, filterOptions = [] }: DebugProtocol.SetExceptionBreakpointsArguments,
  getStatus: (fault: Fault) => number,
): (fault: Fault) => boolean {
  const wanted = [...filters.map((filterId) => ({ filterId, condition: '' })), ...filterOptions].map(
    ({ filterId, condition = '' }) => ({ filterId, codes: condition.split(/[\s,]+/).filter((code) => code !== '') }),
  );
  return (fault) => {
    const filter = getStatus(fault) < 500 ? REJECTED : FAILED;
    return wanted.some(
      ({ filterId, codes }) => filterId === filter && (codes.length === 0 || codes.includes(fault.code)),
    );
  };
}

/** Contains no values of the request, as the response. */
export function describeFault(fault: Fault, { running }: Kernel): DebugProtocol.ExceptionInfoResponse['body'] {
  const issues = (fault.options.issues ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`);
  const status = running.getStatus(fault);
  return {
    exceptionId: fault.code,
    description: [`${status} ${running.getDetail(fault)}`, ...issues].join('\n'),
    breakMode: 'always',
  };
}
