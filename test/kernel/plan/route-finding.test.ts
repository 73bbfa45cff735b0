/** Routing: fixed paths, paths with parameters and their order, routes of plugins. */
import { expect } from 'chai';
import { compilePatterns } from '../../../kernel/plan/patterns.js';
import type { PlanSet, ResourcePlan } from '../../../contract/resource-plan.js';
import type { Fault } from '../../../contract/fault.js';
import type { Route } from '../../../contract/route.js';
import { handleRoute, createLiveRouteFinder, createRouteFinder } from '../../../kernel/http/plugin-routes.js';
import { findRoute } from '../../../kernel/plan/patterns.js';
import { createResourcePlan } from '../../support/plans.js';

const createPlan = (path: string, rest: Partial<ResourcePlan> = {}) =>
  createResourcePlan([], { id: path, path, ...rest });
const catchCode = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Fault).code;
  }
  return expect.fail('there was no fault');
};

describe('paths with parameters', () => {
  /** In both orders: the written order must not matter. */
  const findInBothOrders = (paths: readonly string[], address: string): unknown => {
    const results = [paths, [...paths].reverse()].map((order) => {
      const match = compilePatterns(order.map((path) => ({ path, plan: createPlan(path) }))).find(address);
      return match === null ? null : [match.plan?.path, match.parameters];
    });
    expect(results[0]).to.deep.equal(results[1]);
    return results[0];
  };

  it('have no parameters without a placeholder', () => {
    const none = compilePatterns([]);
    expect([none.find('/a'), none.routes]).to.deep.equal([null, []]);
  });

  const cases: readonly (readonly [readonly string[], string, unknown])[] = [
    [['a/:id'], '/a/5', ['a/:id', { id: '5' }]],
    [['a/:id'], '/A/5', null],
    [['a/:id'], '/a', null],
    [['a/:id'], '/a/5/b', null],
    [['a/:id', 'a/:id/b'], '/a/5/b', ['a/:id/b', { id: '5' }]],
    [[':x/b', 'a/:y'], '/a/b', ['a/:y', { y: 'b' }]],
    [[':x/b', 'a/:y'], '/c/b', [':x/b', { x: 'c' }]],
    [[':x/:y', ':x/b', 'a/:y'], '/c/d', [':x/:y', { x: 'c', y: 'd' }]],
    [['a/:x/c', 'a/b/:y'], '/a/b/c', ['a/b/:y', { y: 'c' }]],
    [['a/:x/:y', 'a/:x', 'a/:x/b'], '/a/5/b', ['a/:x/b', { x: '5' }]],
    [['a/:id'], '/a/b%20c', ['a/:id', { id: 'b c' }]],
    [['a/:id'], '/a/b%2Fc', ['a/:id', { id: 'b/c' }]],
    [['a/:id'], '/%61/5', ['a/:id', { id: '5' }]],
    [['a/:id'], '/a/%zz', null],
  ];
  for (const [paths, address, expected] of cases)
    it(`${paths.join(' and ')}: ${address} matches ${expected === null ? 'none' : JSON.stringify(expected)}`, () => {
      expect(findInBothOrders(paths, address)).to.deep.equal(expected);
    });
});

describe('routes of resources', () => {
  const hidden = createPlan('hidden', { reachable: false });
  const routes = [
    { path: 'users/:id', plan: createPlan('users/:id') },
    { path: 'broken/:id', plan: null },
    { path: 'hidden/:id', plan: createPlan('hidden/:id', { reachable: false }) },
  ];
  const plans = {
    byPath: new Map(
      [createPlan('users/me'), createPlan('a b'), createPlan('odd/'), hidden].map((plan) => [`/${plan.path}`, plan]),
    ),
    broken: new Set(['/users/gone', '/odd']),
    patterns: compilePatterns(routes),
  } as unknown as PlanSet;

  const cases: Readonly<Record<string, unknown>> = {
    '/users/me': ['users/me', null],
    '/users/me/': ['users/me', null],
    '/users/%6De': ['users/me', null],
    '/a%20b': ['a b', null],
    '/odd/': ['odd/', null],
    '/users/5': ['users/:id', { id: '5' }],
    '/users/gone': 'REQ_BROKEN',
    '/users/gone/': 'REQ_BROKEN',
    '/odd': 'REQ_BROKEN',
    '/broken/5': 'REQ_BROKEN',
    '/hidden': 'REQ_NOT_FOUND',
    '/hidden/5': 'REQ_NOT_FOUND',
    '/none': 'REQ_NOT_FOUND',
    '/': 'REQ_NOT_FOUND',
    '/users%2Fme': 'REQ_NOT_FOUND',
    '/users%2fme': 'REQ_NOT_FOUND',
    '/%zz': 'REQ_NOT_FOUND',
    '/Users/me': 'REQ_NOT_FOUND',
  };
  for (const [path, expected] of Object.entries(cases))
    it(`${path} resolves to ${JSON.stringify(expected)}`, () => {
      if (typeof expected === 'string') return void expect(catchCode(() => findRoute(plans, path))).to.equal(expected);
      const { plan, parameters } = findRoute(plans, path);
      expect([plan.path, parameters === null ? null : { ...parameters }]).to.deep.equal(expected);
    });
});

describe('routes of plugins', () => {
  const asked: unknown[] = [];
  const route = (path: string, methods: readonly string[] = ['GET']): Route => ({
    ...{ path, methods },
    handle({ header, ...request }) {
      asked.push({ ...request, header: header('x-a') });
      return { status: 200, headers: {}, body: null };
    },
  });
  const find = createRouteFinder([route('/metrics'), route('/files/'), route('/files/')]);
  const describeRoute = (path: string) => {
    const found = find?.(path) ?? null;
    return found === null ? null : [found.route.path, found.rest];
  };

  it('match exactly, or everything below a path that ends with a slash', () => {
    expect(
      ['/metrics', '/files/', '/files/a/b', '/files', '/metrics/', '/metricsx', '/'].map(describeRoute),
    ).to.deep.equal([...[['/metrics', ''], ['/files/', ''], ['/files/', 'a/b'], null, null, null, null]]);
    expect(createRouteFinder([])).to.equal(null);
  });

  it('are read again when the list is replaced', () => {
    let routes: readonly Route[] = [];
    const live = createLiveRouteFinder(() => routes);
    expect(live()).to.equal(null);
    routes = [route('/later')];
    expect([live()?.('/later')?.rest, live() === live()]).to.deep.equal(['', true]);
  });

  it('receive the method, the decoded rest, the query and headers; HEAD is served by GET', async () => {
    const requestRoute = (method: string, path: string, methods?: readonly string[]) => {
      const found = createRouteFinder([route('/files/', methods)])?.(path) ?? expect.fail('no route');
      return handleRoute(
        found,
        { method, rawHeaders: ['X-A', '1', 'x-b', '2', 'x-a', '3'], socket: {} } as never,
        'q=1',
        0,
      );
    };
    asked.length = 0;
    await requestRoute('GET', '/files/a%20b');
    await requestRoute('HEAD', '/files/');
    await requestRoute('POST', '/files/100', ['POST']);
    const header = ['1', '3'];
    expect(asked).to.deep.equal([
      { method: 'GET', rest: 'a b', query: 'q=1', remote: '', header },
      { method: 'HEAD', rest: '', query: 'q=1', remote: '', header },
      { method: 'POST', rest: '100', query: 'q=1', remote: '', header },
    ]);
    const catchRouteFault = async (...given: Parameters<typeof requestRoute>) => {
      const { code, options } = (await requestRoute(...given).then(
        () => expect.fail('there was no fault'),
        (error: unknown) => error,
      )) as Fault;
      return [code, options.headers];
    };
    expect(await catchRouteFault('POST', '/files/')).to.deep.equal(['REQ_METHOD', { allow: 'GET, HEAD' }]);
    expect(await catchRouteFault('HEAD', '/files/', ['POST'])).to.deep.equal(['REQ_METHOD', { allow: 'POST' }]);
    expect(await catchRouteFault('GET', '/files/%zz')).to.deep.equal(['REQ_NOT_FOUND', undefined]);
  });
});
