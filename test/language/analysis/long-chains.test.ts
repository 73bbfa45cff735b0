/** The time to check a chain of resources is proportional to its length. */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { measureCpuTime } from '../../support/cpu.js';
import { createBuiltinRegistry } from '../../support/fixtures.js';

/** Milliseconds of processor time. */
function measureCost(count: number, target: (i: number) => number): number {
  const files = Array.from({ length: count }, (_, i) => {
    const waits = i === 0 ? {} : { depends_on: [{ resource_id: `r${target(i)}`, action_ids: [1] }] };
    const action = { id: 1, mode: 'QUERY', sql_query: { query: 'SELECT id FROM t', parameters: [] }, ...waits };
    return { file: `${i}.json`, text: JSON.stringify({ id: `r${i}`, resource: `r/${i}`, actionables: [action] }) };
  });
  return measureCpuTime(() => analyseFiles(files, createBuiltinRegistry(), { env: null }));
}

describe('long chain of resources', () => {
  it('takes at most a few times as long as equally many resources that depend on one', () => {
    measureCost(50, () => 0);
    const star = measureCost(400, () => 0);
    expect(measureCost(400, (i) => i - 1)).below(4 * star);
  });
});
