/**
 * Outcome of a deferred job: which failures are retried, and which are permanent. The failure is that of an `accept`
 * tap, before any plan is needed.
 */
import { expect } from 'chai';
import type { DeferredJob, Outcome } from '../../../contract/deferred.js';
import { createFault, type FaultOptions } from '../../../contract/fault.js';
import type { PlanSet } from '../../../contract/resource-plan.js';
import type { LiveHooks } from '../../../kernel/runtime/hooks.js';
import { createPartRunner } from '../../../plugins/triggers/deferred-work/runner.js';
import { createRuntimeServices } from '../../../kernel/runtime/runtime-services.js';

const WORK: DeferredJob = {
  ...{ id: 'w', resource: 'r', part: 'r#1', version: 'v', needs: ['n'], acceptedAt: 0 },
  state: { payload: {}, claims: null, headers: {}, remote: '', names: {}, results: {}, made: [] },
};

describe('job run', () => {
  const reported: string[] = [];
  const resume = async (status: number, options: FaultOptions = {}, work = WORK, attempt = 1): Promise<Outcome> => {
    const doNothing = (): void => undefined;
    const info = (_fields: object, message: string): void => void reported.push(message);
    const lacks = ([need]: readonly string[]): string | null => (need === 'n' ? null : 'n');
    const part = { key: 'r#1', work: { version: 'v', findMissing: lacks, cursor: null } };
    const plan = { id: 'r', path: 'r', parts: new Map([[part.key, part]]) };
    const live = { accept: () => Promise.reject(createFault('TST_ENDED', {}, options)), afterResponse: null };
    const log = { debug: doNothing, info, warn: doNothing, error: doNothing };
    const running = createRuntimeServices({
      plans: () => ({ byId: new Map([[plan.id, plan]]) }) as unknown as PlanSet,
      served: () => null,
      docs: () => '',
      hooks: () => live as unknown as LiveHooks,
      listJobAdmins: () => [],
      codes: { TST_ENDED: { status, title: 'Ended', message: 'It ended.', help: '' } },
      runner: () => createPartRunner(running, log),
      log,
    });
    return running.runJob(work, attempt, new AbortController().signal);
  };
  const isRetryable = async (...given: Parameters<typeof resume>): Promise<boolean> => {
    const outcome = await resume(...given);
    return !outcome.done && outcome.retryable;
  };

  it('is not retried after a rejection, unless the rejection is temporary', async () => {
    expect(await resume(422)).to.deep.equal({
      done: false,
      code: 'TST_ENDED',
      detail: 'It ended.',
      retryable: false,
    });
    for (const status of [400, 401, 403, 404, 409, 422]) expect(await isRetryable(status), `${status}`).to.equal(false);
    for (const status of [408, 425, 429]) expect(await isRetryable(status), `${status}`).to.equal(true);
    expect(await isRetryable(409, { retryable: true })).to.equal(true);
    expect(await isRetryable(422, { status: 429 })).to.equal(true);
  });

  it('is retried after a failure', async () => {
    for (const status of [500, 502, 503, 504]) expect(await isRetryable(status), `${status}`).to.equal(true);
  });

  it('is left to another process if this one has other definitions', async () => {
    const gone = await resume(422, {}, { ...WORK, part: 'r#2' });
    expect(gone).to.include({ code: 'JOB_UNKNOWN', retryable: true });
    const changed = await resume(422, {}, { ...WORK, needs: ['more'] });
    expect(changed).to.include({ code: 'JOB_CHANGED', retryable: true });
  });

  it('is logged if it is retried or runs under newer definitions', async () => {
    const resumeAndReadLog = async (...[work, attempt]: [DeferredJob?, number?]): Promise<string[]> => {
      reported.length = 0;
      await resume(422, {}, work, attempt);
      return [...reported];
    };
    expect(await resumeAndReadLog()).to.deep.equal([]);
    expect(await resumeAndReadLog(WORK, 2)).to.deep.equal(['job retry']);
    expect(await resumeAndReadLog({ ...WORK, version: 'w' })).to.deep.equal([
      'job runs with newer definitions than it was accepted with',
    ]);
  });

  it('is not retried if its work is not stored validly', async () => {
    const broken = await resume(422, {}, { ...WORK, acceptedAt: 'x' } as never);
    expect(broken).to.include({ code: 'JOB_BROKEN', retryable: false });
  });
});
