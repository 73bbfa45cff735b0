/** A hand-written invocation, for tests of one part. */
import type { Invocation, Payload } from '../../contract/plan.js';

export const createTestInvocation = (payload: Payload = {}, rest: Partial<Invocation> = {}): Invocation => ({
  id: 'test',
  trigger: 'test',
  readRawBody: () => Promise.resolve(Buffer.from(JSON.stringify(payload))),
  readPayload: () => payload,
  files: [],
  texts: null,
  headers: {},
  header: () => [],
  remote: '127.0.0.1',
  startedAt: 0,
  deadline: Infinity,
  onFinish: () => undefined,
  trace: null,
  connection: null,
  timings: null,
  ...rest,
});
