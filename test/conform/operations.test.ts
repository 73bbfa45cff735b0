/** Operations of this folder where no published vectors speak for them. */
import { expect } from 'chai';
import { isGenerated } from './id-check.js';
import { ops } from './rules.js';

describe('conformance: identifiers and rules', () => {
  it('rule.check says which rule is broken', () => {
    const check = ops['rule.check']!;
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
