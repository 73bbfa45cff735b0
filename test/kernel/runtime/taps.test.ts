/** Hooks and routes of plugins: which taps are allowed, what a tap may return, and the name in a failure. */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import type { Fault } from '../../../contract/fault.js';
import { createFault } from '../../../contract/fault.js';
import type { Route } from '../../../contract/route.js';
import { FinalResult } from '../../../contract/reply.js';
import { createHooks, createLiveHooks, type LiveHooks } from '../../../kernel/runtime/hooks.js';
import { createTestInvocation } from '../../support/invocation.js';

type Tap = Parameters<ReturnType<ReturnType<typeof createHooks>['createRegistrar']>['tap']>;
const catchFailure = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return expect.fail('there was no failure');
};
const catchBootError = async (work: () => unknown): Promise<unknown[]> => {
  const error = (await catchFailure(work)) as BootError;
  return [error.code, error.params['what']];
};
const tapped = (...[name, tap, options]: Tap): LiveHooks => {
  const hooks = createHooks();
  hooks.createRegistrar('p').tap(name, tap, options);
  return createLiveHooks(hooks);
};
const accept = (tap: unknown) => tapped('accept', tap as never).accept?.(createTestInvocation());
const reply = { status: 200, headers: {}, body: 1 };
const answer = (tap: unknown) => tapped('reply', tap as never).reply?.(reply, createTestInvocation());

describe('hook taps', () => {
  it('are null without a tap', () => {
    const {
      accept: none,
      beforeValidate,
      reply: noReply,
      afterResponse,
      broadcast,
      happening,
      execute,
    } = createLiveHooks(createHooks());
    expect([none, beforeValidate, noReply, afterResponse, broadcast, happening, execute('A')]).to.deep.equal(
      Array(7).fill(null),
    );
  });

  it('of `reply` need values unless all take text', () => {
    const hooks = createHooks();
    const tap = (options?: Tap[2]): boolean => {
      hooks.createRegistrar('p').tap('reply', (one) => one, options);
      return createLiveHooks(hooks).readsReplies;
    };
    expect([tap({ takesText: true }), tap(), tap({ takesText: true })]).to.deep.equal([false, true, true]);
  });

  it('require a known hook before the start, and one mode for `execute`', async () => {
    const hooks = createHooks();
    const { tap } = { tap: (...given: Tap) => hooks.createRegistrar('p').tap(...given) };
    const doNothing = (): undefined => undefined;
    expect((await catchBootError(() => tap('acept' as never, doNothing)))[0]).to.equal('KRN_HOOK');
    expect((await catchBootError(() => tap('toString' as never, doNothing)))[0]).to.equal('KRN_HOOK');
    expect(await catchBootError(() => tap('execute', doNothing))).to.deep.equal(['KRN_TAP', 'without naming a mode']);
    tap('execute', doNothing, { mode: 'A' });
    const live = createLiveHooks(hooks);
    expect([live.execute('A') === null, live.execute('B')]).to.deep.equal([false, null]);
    hooks.seal();
    expect((await catchBootError(() => tap('accept', doNothing)))[0]).to.equal('KRN_SEALED');
  });

  it('run by stage, then in order, or before another tap of the same hook', async () => {
    const hooks = createHooks();
    const order: string[] = [];
    const tap = (plugin: string, options?: Tap[2]) =>
      hooks.createRegistrar(plugin).tap('accept', () => void order.push(plugin), options);
    tap('late', { stage: 500 });
    tap('normal');
    tap('second');
    tap('first', { stage: -500 });
    tap('before', { before: ['normal'] });
    expect(await catchBootError(() => tap('odd', { before: ['none'] }))).to.deep.equal([
      'KRN_TAP',
      'before "none", which does not tap it',
    ]);
    await createLiveHooks(hooks).accept?.(createTestInvocation());
    expect(order).to.deep.equal(['first', 'before', 'normal', 'second', 'late']);
  });

  it('end a hook with done(value) only', async () => {
    const done = new FinalResult(null);
    expect([await accept(() => done), await accept(() => undefined)]).to.deep.equal([done, undefined]);
    for (const bare of [null, 0, 'x', {}]) {
      const failure = (await catchFailure(() => accept(() => bare))) as Fault;
      expect(failure.code).to.equal('INT_UNEXPECTED');
      const { cause } = failure.options.cause as { cause: BootError };
      expect(cause.params['what']).to.match(/^and returns a bare value/);
    }
  });

  it('must return the value that they may change', async () => {
    const other = { ...reply, status: 201 };
    expect([await answer(() => other), await answer((given: unknown) => given)]).to.deep.equal([other, reply]);
    const failure = (await catchFailure(() => answer(() => undefined))) as Fault;
    expect((failure.options.cause as { cause: BootError }).cause.params['what']).to.match(/^and returns nothing/);
  });

  it('reject with a Fault named after them, or after the innermost place', async () => {
    const plain = createFault('TST_NO');
    expect(await catchFailure(() => accept(() => Promise.reject(plain)))).to.equal(plain);
    expect(plain.where).to.deep.equal({ plugin: 'p', hook: 'accept' });
    const placed = Object.assign(createFault('TST_NO'), { where: { plugin: 'inner', hook: 'other' } });
    await catchFailure(() => accept(() => Promise.reject(placed)));
    expect(placed.where).to.deep.equal({ plugin: 'inner', hook: 'other' });
  });

  it('return 500 without the message for other errors, which startup reports by name', async () => {
    const accident = new Error('secret');
    const failure = (await catchFailure(() => accept(() => Promise.reject(accident)))) as Fault;
    expect([failure.code, failure.params]).to.deep.equal(['INT_UNEXPECTED', {}]);
    expect(failure.options.cause).to.include({ message: 'the tap of p on accept failed', cause: accident });
    const hooks = createHooks();
    hooks.createRegistrar('p').tap('ready', () => Promise.reject(accident));
    const boot = (await catchFailure(() => hooks.all.ready.promise({ resources: [] }))) as BootError;
    expect([boot.code, boot.params['name'], boot.params['detail']]).to.deep.equal(['PLG_OPEN', 'p', 'secret']);
  });

  it('all run at the end, also after one fails', async () => {
    const hooks = createHooks();
    const closed: string[] = [];
    hooks.createRegistrar('a').tap('close', () => Promise.reject(new Error('stuck')));
    hooks.createRegistrar('b').tap('close', () => void closed.push('b'));
    await hooks.all.close.promise('done');
    expect([closed, hooks.closeFailures.length]).to.deep.equal([['b'], 1]);
  });

  it('never fail telemetry events', () => {
    const hooks = createHooks();
    const failed: unknown[] = [];
    hooks.createRegistrar('p').tap('happening', () => {
      throw new Error('broken');
    });
    createLiveHooks(hooks, (error) => failed.push(error)).happening?.({ what: 'message-sent', action: 'a' });
    expect(failed).to.have.lengthOf(1);
  });
});

describe('plugin routes', () => {
  const route = (path: string, methods: readonly string[] = ['GET']): Route => ({
    ...{ path, methods },
    handle: () => ({ status: 200, headers: {}, body: null }),
  });
  const add = (paths: readonly string[], path: string, methods?: readonly string[]) => {
    const hooks = createHooks();
    for (const known of paths) hooks.createRegistrar('a').route(route(known));
    const before = hooks.routes;
    hooks.createRegistrar('b').route(route(path, methods));
    const added = hooks.routes.map(({ plugin, path: one }) => `${plugin} ${one}`);
    hooks.restoreRoutes(before);
    return [...added, hooks.routes.length];
  };

  it('are fixed paths, exact or prefixes, and can be removed', () => {
    expect(add(['/a'], '/a/b/')).to.deep.equal(['a /a', 'b /a/b/', 1]);
    for (const path of ['/a.b_c-1', '/A/', '/.well-known/x']) expect(add([], path)).to.deep.equal([`b ${path}`, 0]);
    for (const path of ['', '/', 'a', '/a//b', '/a/:id', '/a b', '/a//', '/a?b', '/ä', '//a'])
      expect(() => add([], path), path)
        .to.throw(BootError)
        .that.nested.include({ 'params.what': 'it is no fixed path such as `/metrics` or `/files/`' });
    expect(() => add([], '/a', []))
      .to.throw(BootError)
      .that.nested.include({ 'params.what': 'no verb is named' });
  });

  it('have one owner, with and without a trailing slash', () => {
    for (const [known, path] of [
      ['/a', '/a'],
      ['/a/', '/a'],
      ['/a', '/a/'],
    ] as const)
      expect(() => add([known], path))
        .to.throw(BootError)
        .that.nested.include({ 'params.what': 'another plugin answers it' });
    expect(add(['/a'], '/ab')).to.have.lengthOf(3);
  });
});
