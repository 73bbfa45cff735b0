/** Lists of addresses and ranges: which addresses they contain, in any notation, and invalid lists. */
import { expect } from 'chai';
import { compileAddressList } from '../../../plugins/verifiers/ip-allow-list/runtime.js';
import { splitEntries, isAddressLike } from '../../../plugins/verifiers/ip-allow-list/entries.light.js';

const isIn = (list: string, address: string): unknown => {
  const validate = compileAddressList(list);
  return typeof validate === 'string' ? validate : validate(address);
};

describe('address list', () => {
  const cases: readonly (readonly [list: string, inside: readonly string[], outside: readonly string[]])[] = [
    [
      '192.0.2.7',
      ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:C000:207', '0:0:0:0:0:ffff:c000:0207'],
      ['192.0.2.8', '::c000:207'],
    ],
    ['192.0.2.7, 198.51.100.1 | 203.0.113.1', ['192.0.2.7', '198.51.100.1', '203.0.113.1'], ['198.51.100.2']],
    ['192.0.2.8/30', ['192.0.2.8', '192.0.2.11'], ['192.0.2.7', '192.0.2.12']],
    ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    ['0.0.0.0/0', ['203.0.113.1', '::ffff:203.0.113.1'], ['2001:db8::1']],
    ['::ffff:192.0.2.0/120', ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.9'], ['192.0.3.0', '::1']],
    ['::ffff:255.128.1.2', ['255.128.1.2'], ['255.128.1.3', '255.127.1.2']],
    ['2001:db8::/32', ['2001:db8::1', '2001:DB8:ffff::'], ['2001:db9::', '192.0.2.1']],
    ['2001:db8::1/128', ['2001:db8:0:0::1'], ['2001:db8::2']],
    ['fe80::1', ['fe80::1', 'fe80::1%eth0'], ['fe80::2%eth0']],
    ['::/0', ['::1', '2001:db8::1'], []],
    [' , 192.0.2.7 ,| ', ['192.0.2.7'], ['', 'localhost', '192.0.2', '192.0.2.7:80', '192.0.2.7 ']],
  ];
  for (const [list, inside, outside] of cases)
    it(`${JSON.stringify(list)} contains ${inside.join(', ')}`, () => {
      for (const address of inside) expect(isIn(list, address), address).to.equal(true);
      for (const address of outside) expect(isIn(list, address), address).to.equal(false);
    });

  it('is invalid without an address, or with an invalid entry', () => {
    for (const list of ['', ' , | ']) expect(isIn(list, '192.0.2.7')).to.equal('it names no address');
    const wrong = [
      'localhost',
      '192.0.2',
      '192.0.2.7/33',
      '192.0.2.7/',
      '192.0.2.7/a',
      '192.0.2.7/24/1',
      '192.0.2.7/-1',
      '192.0.2.7/0024',
    ];
    for (const entry of [...wrong, '::1/129', 'fe80::1%eth0', '::ffff:192.0.2.7/95', '::ffff:192.0.2.7/129', '/24'])
      expect(isIn(`192.0.2.1, ${entry}`, '192.0.2.1'), entry).to.equal(`"${entry}" is no address and no range`);
  });

  it('is split at commas and pipes, and checked roughly before it is loaded', () => {
    expect(splitEntries(' a, b|c ,,| ')).to.deep.equal(['a', 'b', 'c']);
    for (const entry of ['192.0.2.7', '192.0.2.7/24', '::1', '2001:db8::/32', '::ffff:192.0.2.7', '999.1.1.1'])
      expect(isAddressLike(entry), entry).to.equal(true);
    for (const entry of [
      'localhost',
      '192.0.2',
      '192.0.2.7/',
      '192.0.2.7/1234',
      'x192.0.2.7',
      '192.0.2.7.1',
      '2001db8',
      '::1/x',
      'g::1',
      '::1 ',
    ])
      expect(isAddressLike(entry), entry).to.equal(false);
  });
});
