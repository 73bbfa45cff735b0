/** The shared bcrypt vectors through the plugin's own code; skipped by name where they are absent. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { vectorFile } from '../support/project.js';
import { ops } from './bcrypt.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

interface Case extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly op: string;
  readonly expect: { readonly ok: boolean | null };
}

describe('bcrypt against the shared vectors', function () {
  const file = vectorFile('bcrypt.jsonl');
  before(function () {
    if (file === null) skipTest(this, NO_SHARED);
  });

  it('verifies, rejects and hashes as the vectors require', async () => {
    const lines = readFileSync(file ?? '', 'utf8').trim();
    const cases = lines.split('\n').map((line) => JSON.parse(line) as Case);
    expect(cases.length).to.be.at.least(107);
    const wrong: string[] = [];
    for (const { id, op, expect: wanted, ...input } of cases) {
      const outcome = await ops[op]!(input);
      if (wanted.ok !== null && outcome.ok !== wanted.ok) wrong.push(`${id}: ${JSON.stringify(outcome)}`);
      if (op !== 'bcrypt.hash' || !outcome.ok) continue;
      const again = await ops['bcrypt.verify']!({ ...input, hash: outcome.out });
      if (!again.ok) wrong.push(`${id}: its hash does not verify`);
    }
    expect(wrong).to.deep.equal([]);
  });
});
