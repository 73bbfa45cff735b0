/** The operations of this folder against the shared vectors; skipped by name where those are not beside the repository. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { vectorFile } from '../support/project.js';
import { idOperations, isGenerated, type IdInput } from './id-check.js';
import { ruleOperations, type RuleInput } from './rules.js';

interface Case extends IdInput, RuleInput {
  readonly value: string;
  readonly id: string;
  readonly op: string;
  readonly expect: { readonly ok: boolean | null };
}

const operations: Readonly<Record<string, (input: Case) => { readonly ok: boolean }>> = {
  ...idOperations,
  ...ruleOperations,
};

function vectors(name: string, atLeast: number): void {
  const file = vectorFile(`${name}.jsonl`);
  it(`${name}: answer as the vectors say`, function () {
    if (file === null) return this.skip();
    const cases = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Case);
    expect(cases.length).to.be.at.least(atLeast);
    const wrong = cases.filter((one) => {
      const { ok } = operations[one.op]!(one);
      return one.expect.ok !== null && ok !== one.expect.ok;
    });
    expect(wrong.map(({ id }) => id)).to.deep.equal([]);
  });
}

describe('conformance: identifiers and rules', () => {
  vectors('uuid', 20);
  vectors('email', 150);

  it('rule.check says which rule is broken', () => {
    const check = ruleOperations['rule.check'];
    expect(check({ rule: { type: 'STRING', max_length: 2 }, value: 'ab' })).to.deep.equal({ ok: true });
    expect(check({ rule: { type: 'STRING', max_length: 2 }, value: 'abc' })).to.deep.equal({
      ok: false,
      error: 'max_length',
    });
    const rule = { type: 'OBJECT', fields: { n: { type: 'NUMBER' } } };
    expect(check({ rule, value: { n: '5' } })).to.deep.equal({ ok: false, error: 'type' });
    expect(check({ rule, value: {} })).to.deep.equal({ ok: false, error: 'required' });
  });

  it('id.check knows the form of every generator, and refuses kinds that nobody makes', () => {
    expect(isGenerated('NANOID', 'V1StGXR8_Z5jdHi6B-myT')).to.equal(true);
    expect(isGenerated('NANOID', 'V1StGXR8_Z5jdHi6B-my')).to.equal(false);
    expect(isGenerated('BSON', '507f1f77bcf86cd799439011')).to.equal(true);
    expect(isGenerated('KSUID', '0ujsswThIGTUYm2K8FjOOfXtY1K')).to.equal(true);
    expect(isGenerated('CUID', 'cjld2cjxh0000qzrmn831i7rn')).to.equal(true);
    expect(isGenerated('CUID2', 'tz4a98xxat96iws9zmbrgj3a')).to.equal(true);
    expect(() => isGenerated('UUIDD', 'x')).to.throw('UUIDD');
  });
});
