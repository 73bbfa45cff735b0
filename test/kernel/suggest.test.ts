/** The nearest legal name: which slips are seen through, and when it is better to say nothing. */
import { expect } from 'chai';
import { nearest } from '../../kernel/source/suggest.js';

describe('nearest name', () => {
  const names = [
    'self',
    'port',
    'host',
    'email',
    'resource_id',
    'returnables',
    'min_length',
    'max_length',
    'ULID',
    'UUID',
  ];
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['slef', 'self'],
    ['prot', 'port'],
    ['emial', 'email'],
    ['emal', 'email'],
    ['emaill', 'email'],
    ['resourceId', 'resource_id'],
    ['RESOURCE-ID', 'resource_id'],
    ['retunables', 'returnables'],
    ['maxLength', 'max_length'],
    ['min-lenght', 'min_length'],
    ['uuid', 'UUID'],
    ['ULIDD', 'ULID'],
    ['quantity', undefined],
    ['x', undefined],
    ['', undefined],
    ['portable', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`${JSON.stringify(written)} -> ${expected ?? 'nothing'}`, () =>
      expect(nearest(written, names)).to.equal(expected));
  }

  it('never suggests the name that was written', () => expect(nearest('self', ['self'])).to.equal(undefined));
  it('prefers the nearer of two', () => expect(nearest('nmae', ['names', 'name'])).to.equal('name'));
  it('has nothing to say without names', () => expect(nearest('self', [])).to.equal(undefined));
});
