/** The order in which plugins open and close, and that one of them cannot keep the others from closing. */
import { expect } from 'chai';
import type { PluginRuntime } from '../../kernel/contract/plugin.js';
import type { Instance } from '../../kernel/runtime/instances.js';
import { createLifecycle } from '../../kernel/runtime/lifecycle.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the life of plugins', () => {
  const events: string[] = [];
  const failures: object[] = [];
  beforeEach(() => {
    events.length = 0;
    failures.length = 0;
  });
  const lifecycle = () =>
    createLifecycle({
      deadlines: { open: 1, close: 0.1 },
      codes: {},
      log: { ...silent, error: (fields) => void failures.push(fields) },
    });
  const instance = (key: string, runtime: Partial<PluginRuntime> = {}): Instance => ({
    key,
    id: key,
    importTime: 0,
    context: {} as Instance['context'],
    handle: () => key,
    runtime: {
      open: () => Promise.resolve(void events.push(`open ${key}`)),
      close: () => Promise.resolve(void events.push(`close ${key}`)),
      ...runtime,
    },
  });

  it('they close in reverse, so that each still has what it was opened upon', async () => {
    const life = lifecycle();
    await life.open([instance('a'), instance('b')]);
    await life.open([instance('c')]);
    await life.close();
    await life.close();
    expect(events).to.deep.equal(['open a', 'open b', 'open c', 'close c', 'close b', 'close a']);
  });

  it('one that fails to close, or never does, is named and holds up nobody', async () => {
    const life = lifecycle();
    const fails = instance('fails', { close: () => Promise.reject(new Error('no')) });
    const hangs = instance('hangs', { close: () => new Promise(() => undefined) });
    await life.open([instance('a'), fails, hangs]);
    await life.close();
    expect(events).to.deep.equal(['open a', 'open fails', 'open hangs', 'close a']);
    expect(failures.map((fields) => (fields as { plugin: string }).plugin)).to.deep.equal(['hangs', 'fails']);
  });

  it('one that failed half-way through opening is closed too, what was never opened is not', async () => {
    const life = lifecycle();
    const broken = instance('broken', { open: () => Promise.reject(new Error('no')) });
    const failure = await life.open([instance('a'), broken, instance('never')]).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'PLG_OPEN');
    await life.close();
    expect(events).to.deep.equal(['open a', 'close broken', 'close a']);
  });
});
