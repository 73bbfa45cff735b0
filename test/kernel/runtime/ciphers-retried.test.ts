/** A retried transaction runs the steps of its actionables again, and must not encrypt a value twice. */
import { expect } from 'chai';
import { createFrame } from '../../../kernel/runtime/frame.js';
import type { Frame } from '../../../contract/plan.js';
import { createTestInvocation } from '../../support/invocation.js';
import { startKernel, type TestKernel } from '../../support/kernel.js';

const KEY = 'canary-field-key-Qm7xT2vLs9Rw4Zk';
const entry = (operation: string) => ({
  operation,
  properties: ['secret'],
  algorithm: 'Aes256Gcm',
  options: { key: '$ENV.FIELD_KEY' },
});

describe('ciphers in a retry', () => {
  let kernel: TestKernel;
  before(async () => {
    const resource = (id: string, operation: string): object => ({
      id,
      resource: id,
      actionables: [{ id: 1, mode: 'RETURN', value: { secret: '$PAYLOAD.secret' }, ciphers: [entry(operation)] }],
      returnables: ['secret'],
    });
    kernel = await startKernel({
      files: { 'definitions/a.json': [resource('seal', 'Encrypt'), resource('open', 'Decrypt')] },
      env: { FIELD_KEY: KEY },
    });
  });
  after(() => kernel.close());

  it('keep what the first attempt encrypted', async () => {
    const plan = kernel.kernel.plans().byId.get('seal');
    const steps = plan?.groups[0]?.actions[0]?.before ?? [];
    expect(steps.map(({ id }) => id)).to.include('ciphers');
    if (plan === undefined) return;
    const frame: Frame = createFrame(createTestInvocation(), plan);
    frame.payload = frame.received = { secret: 'value' };
    const run = (): unknown => {
      for (const step of steps) void step.run(frame, { result: undefined });
      return frame.payload['secret'];
    };
    const first = run();
    expect(first).to.be.a('string').that.is.not.equal('value');
    expect(run()).to.equal(first);
    expect((await kernel.post('/open', { secret: first })).body['secret']).to.equal('value');
    // The payload may also have been put back.
    frame.payload = frame.received;
    const second = run();
    expect((await kernel.post('/open', { secret: second })).body['secret']).to.equal('value');
  });
});
