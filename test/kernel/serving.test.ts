/** Which plan of a resource is served while some of the files are broken. */
import { expect } from 'chai';
import type { Analysis } from '../../kernel/analysis/model.js';
import type { PlanSet, ResourcePlan } from '../../kernel/compile/plan.js';
import { keepServing } from '../../kernel/runtime/serving.js';

const planOf = (id: string, version: string): ResourcePlan => ({ id, path: id, version, identities: [] }) as never;

function setOf(plans: readonly ResourcePlan[]): PlanSet {
  const routes = { routes: [], find: () => null };
  return {
    hash: '',
    byPath: new Map(plans.map((plan) => [`/${plan.path}`, plan])),
    byId: new Map(plans.map((plan) => [plan.id, plan])),
    patterns: routes,
    broken: new Set(),
    tables: [],
    identities: [],
  } as never;
}

const analysisOf = (sound: readonly string[], broken: readonly string[]): Analysis =>
  ({
    resources: [...sound.map((id) => ({ id, sound: true })), ...broken.map((id) => ({ id, sound: false }))],
  }) as never;

describe('while files are broken', () => {
  const before = setOf([planOf('changed', 'old'), planOf('broken', 'old'), planOf('unnamed', 'old')]);
  const after = setOf([planOf('changed', 'new'), planOf('added', 'new')]);
  const served = keepServing(before, after, analysisOf(['changed', 'added'], ['broken']));
  const versions = (plans: ReadonlyMap<string, ResourcePlan>): unknown =>
    Object.fromEntries([...plans].map(([name, plan]) => [name, (plan as unknown as { version: string }).version]));

  it('a sound resource has its new plan, and each other one the plan that it had', () => {
    expect(versions(served.byId)).to.deep.equal({ changed: 'new', added: 'new', broken: 'old', unnamed: 'old' });
  });

  it('paths lead to the same plans', () => {
    expect(versions(served.byPath)).to.deep.equal({
      '/changed': 'new',
      '/added': 'new',
      '/broken': 'old',
      '/unnamed': 'old',
    });
  });
});
