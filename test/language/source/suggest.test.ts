/** The nearest valid name: which typing errors are recognized, and when there is no suggestion. */
import { expect } from 'chai';
import { findNearest } from '../../../language/source/suggest.js';

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
    it(`${JSON.stringify(written)} -> ${expected ?? 'none'}`, () =>
      expect(findNearest(written, names)).to.equal(expected));
  }

  it('is never the written name', () => expect(findNearest('self', ['self'])).to.equal(undefined));
  it('is the nearer of two', () => expect(findNearest('nmae', ['names', 'name'])).to.equal('name'));
  it('is undefined without names', () => expect(findNearest('self', [])).to.equal(undefined));
});

describe('similar names', () => {
  const CASES: readonly (readonly [written: string, names: readonly string[], found: string | undefined])[] = [
    ['HmacVerifier', ['HmacSignatureVerifier', 'TokenVerifier'], 'HmacSignatureVerifier'],
    ['verifierHmac', ['HmacSignatureVerifier'], undefined],
    ['pass', ['password_hash', 'email'], 'password_hash'],
    ['pas', ['password_hash', 'email'], undefined],
    ['user', ['user_name', 'user_mail'], undefined],
    ['ab', ['ac'], 'ac'],
    ['ab', ['cd'], undefined],
    ['a', ['b'], undefined],
    ['abcdef', ['abcxyz'], undefined],
    ['abcdef', ['abcdxy'], 'abcdxy'],
    ['abcdef', ['abdcef', 'abcdxf'], 'abdcef'],
    ['a b', ['a_b'], 'a_b'],
  ];
  for (const [written, names, found] of CASES) {
    it(`"${written}" among ${names.join(', ')}: ${found ?? 'none'}`, () =>
      expect(findNearest(written, names)).to.equal(found));
  }
});
