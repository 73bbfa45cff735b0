/** Which plan of a resource is served while some files are invalid, and the owner of a path. */
import { expect } from 'chai';
import type { Analysis } from '../../../language/analysis/analysis.js';
import type { PlanSet, ResourcePlan } from '../../../contract/resource-plan.js';
import { compilePatterns } from '../../../kernel/plan/patterns.js';
import { BootError } from '../../../contract/boot-error.js';
import {
  listReservedPaths,
  retainLastValidPlans,
  assertPathsFree,
  logGuardChanges,
} from '../../../kernel/runtime/plan-retention.js';

const createPlan = (id: string, version: string): ResourcePlan => ({ id, path: id, version, identities: [] }) as never;

function createPlanSet(plans: readonly ResourcePlan[]): PlanSet {
  const routes = { routes: [], find: () => null };
  return {
    hash: '',
    byPath: new Map(plans.map((plan) => [`/${plan.path}`, plan])),
    byId: new Map(plans.map((plan) => [plan.id, plan])),
    patterns: routes,
    failures: [],
    broken: new Set(),
    tables: [],
    identities: [],
  } as never;
}

const createAnalysis = (valid: readonly string[], broken: readonly string[]): Analysis =>
  ({
    resources: [...valid.map((id) => ({ id, sound: true })), ...broken.map((id) => ({ id, sound: false }))],
  }) as never;

describe('plans while files are invalid', () => {
  const before = createPlanSet([
    createPlan('changed', 'old'),
    createPlan('broken', 'old'),
    createPlan('unnamed', 'old'),
  ]);
  const after = createPlanSet([createPlan('changed', 'new'), createPlan('added', 'new')]);
  const served = retainLastValidPlans(before, after, createAnalysis(['changed', 'added'], ['broken']));
  const versions = (plans: ReadonlyMap<string, ResourcePlan>): unknown =>
    Object.fromEntries([...plans].map(([name, plan]) => [name, (plan as unknown as { version: string }).version]));

  it('are replaced for a valid resource, and retained for an invalid one', () => {
    expect(versions(served.byId)).to.deep.equal({ changed: 'new', added: 'new', broken: 'old', unnamed: 'old' });
  });

  it('stay reachable by their paths', () => {
    expect(versions(served.byPath)).to.deep.equal({
      '/changed': 'new',
      '/added': 'new',
      '/broken': 'old',
      '/unnamed': 'old',
    });
  });
});

describe('parameterized paths while files are invalid', () => {
  const withRoutes = (
    ...routes: readonly (readonly [path: string, id: string | null, version?: string])[]
  ): PlanSet => {
    const all = routes.map(([path, id, version = 'new']) => ({
      path,
      plan: id === null ? null : { ...createPlan(id, version), path },
    }));
    const plans = all.flatMap(({ plan }) => plan ?? []);
    return {
      ...createPlanSet([]),
      byId: new Map(plans.map((plan) => [plan.id, plan])),
      patterns: compilePatterns(all),
      failures: [],
    };
  };
  const findAfterReload = (before: PlanSet, after: PlanSet, valid: readonly string[], address: string): unknown => {
    const match = retainLastValidPlans(before, after, createAnalysis(valid, ['broken'])).patterns.find(address);
    return match === null ? 'none' : match.plan === null ? 'broken' : `${match.plan.id} at ${match.plan.path}`;
  };

  it('lead to the previous plan of an invalid definition', () => {
    const before = withRoutes(['a/:id', 'broken', 'old']);
    expect(findAfterReload(before, withRoutes(['a/:id', null]), [], '/a/5')).to.equal('broken at a/:id');
    expect(findAfterReload(before, withRoutes(['a/:name', null]), [], '/a/5')).to.equal('broken at a/:id');
    expect(findAfterReload(withRoutes(), withRoutes(['a/:id', null]), [], '/a/5')).to.equal('broken');
    expect(findAfterReload(withRoutes(['a/:id', null]), withRoutes(), [], '/a/5')).to.equal('none');
  });

  it('lead to a valid resource that declares them now, and not to one that no longer does', () => {
    const before = withRoutes(['a/:id', 'broken', 'old'], ['b/:id', 'sound', 'old']);
    const after = withRoutes(['a/:name', 'sound']);
    expect(findAfterReload(before, after, ['sound'], '/a/5')).to.equal('sound at a/:name');
    expect(findAfterReload(before, after, ['sound'], '/b/5')).to.equal('none');
  });

  it('are served under the id of the resource too', () => {
    const before = withRoutes(['a/:id', 'broken', 'old']);
    const { byPath } = retainLastValidPlans(before, withRoutes(), createAnalysis([], ['broken']));
    expect([...byPath.keys()]).to.deep.equal(['/broken']);
  });
});

describe('owner of a path', () => {
  const catchRejection = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BootError)) throw error;
      return [error.code, error.params['name'], error.params['what']];
    }
  };
  const routes = (...paths: readonly string[]) => paths.map((path) => ({ plugin: 'p', path })) as never;
  const httpLayer = (path: string, ...paths: readonly string[]) => {
    const upgrade = { path, setting: 'websocket.path', open: () => expect.fail('it is not opened') };
    return catchRejection(() => listReservedPaths('/status', [upgrade], routes(...paths)));
  };

  it('is the socket endpoint if nothing else serves it', () => {
    expect(httpLayer('/ws', '/w', '/wsx', '/ws/')).to.deep.equal([{ plugin: 'websocket.path', path: '/ws' }]);
    expect(httpLayer('/ws', '/ws')).to.deep.equal(['KRN_ROUTE', 'websocket.path', 'p serves it']);
    expect(httpLayer('/files/ws', '/files/')).to.deep.equal(['KRN_ROUTE', 'websocket.path', 'p serves it']);
    expect(httpLayer('/files/ws', '/files')).to.be.an('array').with.lengthOf(1);
    expect(httpLayer('/status')).to.deep.equal(['KRN_ROUTE', 'websocket.path', 'the status page uses it']);
    expect(listReservedPaths('/status', [], [])).to.deep.equal([]);
  });

  it('is one resource or one plugin', () => {
    const catchTakenPaths = (...paths: readonly string[]) =>
      catchRejection(() => assertPathsFree(createPlanSet([createPlan('files/a', 'new')]), routes(...paths)));
    expect(catchTakenPaths('/files/', '/x')).to.deep.equal(['KRN_ROUTE', 'p', 'the resource "files/a" uses it']);
    expect(catchTakenPaths('/x', '/files/a')).to.deep.equal(['KRN_ROUTE', 'p', 'the resource "files/a" uses it']);
    expect(catchTakenPaths('/files', '/files/ab', '/file/', '/files/a/')).to.equal(undefined);
  });
});

describe('guard changes of a resource', () => {
  it('are reported when the guard changes and there was one before', () => {
    const createGuardedSet = (guards: Readonly<Record<string, string>>): PlanSet =>
      createPlanSet(
        Object.entries(guards).map(([id, guard]) => ({ ...createPlan(id, ''), summary: { guard } }) as never),
      );
    const reported: unknown[] = [];
    const log = { warn: (fields: object) => reported.push(fields) } as never;
    logGuardChanges(
      createGuardedSet({ a: 'JWT', b: 'JWT', gone: 'JWT' }),
      createGuardedSet({ a: 'JWT', b: 'open', c: 'open' }),
      log,
    );
    expect(reported).to.deep.equal([{ resource: 'b', was: 'JWT', is: 'open' }]);
  });
});
