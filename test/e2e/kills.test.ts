/**
 * Processes that are killed under load, a few times at random moments: nothing acknowledged is lost, and only work
 * interrupted by a kill is repeated. `npm run bench -- --kills` does the same two hundred times.
 */
import { expect } from 'chai';
import { killUnderLoad } from '../support/kills.js';
import { evaluateKills } from '../support/kill-report.js';
import { countRuns, isDeep } from '../support/sample.js';
import { skipTest } from '../support/skip.js';

describe('processes that are killed under load', function () {
  it('lose nothing that was acknowledged, and repeat only work that a kill interrupted', async function () {
    const kills = countRuns('kills', 2, 5);
    const size = isDeep('kills') ? 3 : 2;
    const evidence = await killUnderLoad({ kills, size, requests: 200, every: 500, pace: 50 });
    if ('skip' in evidence) return skipTest(this, evidence.skip);
    const { faults, kinds } = evaluateKills(evidence);
    expect(faults).to.deep.equal([]);
    expect(evidence.kills).to.have.length(kills);
    for (const { kind, acknowledged, lost } of kinds) {
      expect(acknowledged, kind).to.be.greaterThan(20);
      expect(lost, kind).to.equal(0);
    }
  });
});
