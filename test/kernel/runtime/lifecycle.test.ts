/** The order in which plugins open and close, and that one of them cannot keep the others from closing. */
import { expect } from 'chai';
import { createFault } from '../../../contract/fault.js';
import type { PluginRuntime } from '../../../contract/plugin.js';
import type { Instance } from '../../../kernel/runtime/instances.js';
import { createLifecycle } from '../../../kernel/runtime/lifecycle.js';
import { startStopwatch } from '../../support/stopwatch.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('plugin lifecycle', () => {
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
      scripts: () => Promise.resolve([]),
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

  it('closes plugins in reverse order of opening', async () => {
    const life = lifecycle();
    await life.open([instance('a'), instance('b')]);
    await life.open([instance('c')]);
    await life.close();
    await life.close();
    expect(events).to.deep.equal(['open a', 'open b', 'open c', 'close c', 'close b', 'close a']);
  });

  it('starts plugins one after another, and names one that fails', async () => {
    const serve = (key: string) => async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`serve ${key}`);
    };
    const life = lifecycle();
    await life.serve(['a', 'b'].map((key) => instance(key, { serve: serve(key) })));
    expect(events).to.deep.equal(['serve a', 'serve b']);
    const fails = instance('fails', { serve: () => Promise.reject(new Error('no')) });
    const failure = await life.serve([fails, instance('c', { serve: serve('c') })]).catch((error: unknown) => error);
    expect(failure).to.have.nested.property('params.name', 'fails');
    expect(events).to.have.length(2);
  });

  it('names a plugin that fails to close or hangs, and closes the others', async () => {
    const life = lifecycle();
    const fails = instance('fails', { close: () => Promise.reject(new Error('no')) });
    const hangs = instance('hangs', { close: () => new Promise(() => undefined) });
    await life.open([instance('a'), fails, hangs]);
    await life.close();
    expect(events).to.deep.equal(['open a', 'open fails', 'open hangs', 'close a']);
    expect(failures.map((fields) => (fields as { plugin: string }).plugin)).to.deep.equal(['hangs', 'fails']);
  });

  it('closes a plugin that failed while opening, and none that was never opened', async () => {
    const life = lifecycle();
    const broken = instance('broken', { open: () => Promise.reject(new Error('no')) });
    const failure = await life.open([instance('a'), broken, instance('never')]).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'PLG_OPEN');
    await life.close();
    expect(events).to.deep.equal(['open a', 'close broken', 'close a']);
  });

  it('stops all plugins at once, names one that fails and waits for the others', async () => {
    const life = lifecycle();
    let over: () => void = () => undefined;
    const works = instance('works', {
      drain: () =>
        new Promise((resolve) => {
          events.push('drain works');
          over = resolve;
        }),
    });
    const fails = instance('fails', { drain: () => Promise.reject(new Error('no')) });
    const rests = instance('rests', { drain: () => Promise.resolve(void events.push('drain rests')) });
    await life.open([works, fails, rests, instance('plain')]);
    events.length = 0;
    let isOver = false;
    const drained = life.drain().then(() => (isOver = true));
    await new Promise(setImmediate);
    expect([events, isOver]).to.deep.equal([['drain works', 'drain rests'], false]);
    over();
    await drained;
    expect(failures.map((fields) => (fields as { plugin: string }).plugin)).to.deep.equal(['fails']);
  });

  it('waits at most a second for a plugin to return its work', async () => {
    const life = lifecycle();
    const hangs = instance('hangs', { releaseClaims: () => new Promise(() => undefined) });
    const gives = instance('gives', { releaseClaims: () => Promise.resolve(void events.push('abandon gives')) });
    await life.open([hangs, gives]);
    const [since, elapsed] = [performance.now(), startStopwatch()];
    await life.releaseClaims();
    expect(performance.now() - since).to.be.at.least(900);
    expect(elapsed()).to.be.lessThan(1500);
    expect(events.at(-1)).to.equal('abandon gives');
    expect(failures.map((fields) => (fields as { plugin: string }).plugin)).to.deep.equal(['hangs']);
  });

  it('returns unavailable plugins, and opens none that depends on them', async () => {
    const life = lifecycle();
    const away = createFault('X_AWAY', {}, { retryable: true });
    const server = instance('server', { open: () => Promise.reject(away) });
    const user = instance('user');
    const reach = (keys: Iterable<string>): Set<string> =>
      new Set([...keys].flatMap((key) => (key === 'user' ? ['user', 'server'] : [key])));
    const pending = await life.openAvailable([server, user, instance('other')], reach);
    expect(pending.map(({ key }) => key)).to.deep.equal(['server', 'user']);
    expect([...life.unavailable.keys()]).to.deep.equal(['server', 'user']);
    expect(events).to.deep.equal(['open other']);
    expect(await life.health()).to.deep.equal({
      server: { ok: false, detail: 'waiting: X_AWAY' },
      user: { ok: false, detail: 'waiting: it needs server' },
    });
    const wrong = instance('wrong', { open: () => Promise.reject(createFault('X_WRONG')) });
    const failure = await life.openAvailable([wrong], reach).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'PLG_OPEN');
  });
});
