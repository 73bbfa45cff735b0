/** An invocation made by hand, for tests of one part alone. */
import type { Invocation, Payload } from '../../contract/plan.js';

export const testInvocation = (payload: Payload = {}, rest: Partial<Invocation> = {}): Invocation => ({
  id: 'test',
  trigger: 'test',
  bytes: () => Promise.resolve(Buffer.from(JSON.stringify(payload))),
  receive: () => payload,
  files: [],
  texts: null,
  headers: {},
  header: () => [],
  remote: '127.0.0.1',
  startedAt: 0,
  deadline: Infinity,
  release: () => undefined,
  trace: null,
  connection: null,
  timings: null,
  ...rest,
});
