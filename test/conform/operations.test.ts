/** Operations of this folder without published vectors. */
import { expect } from 'chai';
import { isGenerated } from './id-check.js';
import { ops as cron } from './cron.js';
import { ops } from './rules.js';

describe('conformance: identifiers and rules', () => {
  it('rule.check returns the rule that is violated', () => {
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

  it('id.check validates the format of every generator, and rejects kinds without one', () => {
    expect(isGenerated('NANOID', 'V1StGXR8_Z5jdHi6B-myT')).to.equal(true);
    expect(isGenerated('NANOID', 'V1StGXR8_Z5jdHi6B-my')).to.equal(false);
    expect(isGenerated('BSON', '507f1f77bcf86cd799439011')).to.equal(true);
    expect(isGenerated('KSUID', '0ujsswThIGTUYm2K8FjOOfXtY1K')).to.equal(true);
    expect(isGenerated('CUID', 'cjld2cjxh0000qzrmn831i7rn')).to.equal(true);
    expect(isGenerated('CUID2', 'tz4a98xxat96iws9zmbrgj3a')).to.equal(true);
    expect(() => isGenerated('UUIDD', 'x')).to.throw('UUIDD');
  });
});

describe('conformance: schedules', () => {
  const next = cron['cron.next']!;

  it('cron.next returns the instants after a given one, in a zone', () => {
    const input = { expression: '0 30 2 * * *', zone: 'Europe/Berlin', from: '2025-10-25T12:00:00Z', n: 2 };
    const out = ['2025-10-26T00:30:00.000Z', '2025-10-27T01:30:00.000Z'];
    expect(next(input)).to.deep.equal({ ok: true, out });
    expect(next({ ...input, from: Date.parse(input.from) })).to.deep.equal({ ok: true, out });
    expect(next({ expression: '0 0 0 1 1 ?', from: '2025-01-01T00:00:00Z' })).to.deep.equal({
      ok: true,
      out: ['2026-01-01T00:00:00.000Z'],
    });
  });

  it('cron.next rejects an invalid schedule, zone or instant', () => {
    const valid = { expression: '0 * * * * *', from: '2025-01-01T00:00:00Z' };
    expect(next({ ...valid, expression: '* * * * *' })).to.include({ ok: false });
    expect(next({ ...valid, zone: 'PST' })).to.deep.equal({ ok: false, error: 'no such time zone' });
    expect(next({ ...valid, from: 'soon' })).to.include({ ok: false });
    expect(next({ ...valid, n: 1e9 })).to.include({ ok: false });
  });
});
