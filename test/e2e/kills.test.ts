/**
 * Processes that are killed under load, a few times at random moments: nothing that was answered is lost, and nothing is done
 * twice that was not being done at a kill. `npm run bench -- --kills` does the same two hundred times.
 */
import { expect } from 'chai';
import { killUnderLoad } from '../support/kills.js';
import { judge } from '../support/kill-verdict.js';

describe('processes that are killed under load', function () {
  this.timeout(120_000);

  it('lose nothing that was answered, and do twice only what a kill interrupted', async function () {
    const evidence = await killUnderLoad({ kills: 5, every: 700, pace: 40 });
    if ('skip' in evidence) return this.skip();
    const { faults, kinds } = judge(evidence);
    expect(faults).to.deep.equal([]);
    expect(evidence.kills).to.have.length(5);
    for (const { kind, acknowledged, lost } of kinds) {
      expect(acknowledged, kind).to.be.greaterThan(20);
      expect(lost, kind).to.equal(0);
    }
  });
});
