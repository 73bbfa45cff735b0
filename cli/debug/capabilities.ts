/** What the debugger can do, as clients ask for it before a server runs. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { FAULT_FILTERS } from './faults.js';

export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsSetVariable: true,
  supportsEvaluateForHovers: true,
  supportsExceptionInfoRequest: true,
  supportsExceptionFilterOptions: true,
  supportTerminateDebuggee: true,
  exceptionBreakpointFilters: FAULT_FILTERS,
};
