/** `ip.allowed`, without published vectors: lists, mapped addresses, and proxies. `hmac.verify` against `createHmac` of Node. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { compileAddressList } from '../../plugins/verifiers/ip-allow-list/runtime.js';
import { ALGORITHMS } from '../../plugins/verifiers/hmac-signature/algorithms.light.js';
import { runLine } from './run.js';

type Case = readonly [ok: boolean, list: string, peer: string, forwarded?: string | readonly string[], hops?: number];

const allowed = async ([, list, peer, forwarded, hops]: Case): Promise<boolean> =>
  (await runLine('ip.allowed', JSON.stringify({ id: 1, list, peer, forwarded, hops }))).ok;

const suites: Readonly<Record<string, readonly Case[]>> = {
  'accepts addresses and ranges, with any separator': [
    [true, '192.0.2.1', '192.0.2.1'],
    [false, '192.0.2.1', '192.0.2.2'],
    [true, '192.0.2.1,198.51.100.0/24|2001:db8::/32', '198.51.100.255'],
    [false, '192.0.2.1,198.51.100.0/24|2001:db8::/32', '198.51.101.0'],
    [true, '192.0.2.1,198.51.100.0/24|2001:db8::/32', '2001:DB8:0:0::1'],
    [false, '192.0.2.1,198.51.100.0/24|2001:db8::/32', '2001:db9::1'],
    [true, ' ,, 192.0.2.1 | ', '192.0.2.1'],
    [true, '2001:db8::1', '2001:0db8:0000::0001'],
    [true, 'fe80::1', 'fe80::1%eth0'],
    [true, '0.0.0.0/0', '203.0.113.9'],
    [false, '0.0.0.0/0', '2001:db8::1'],
  ],
  'accepts IPv4 mapped into IPv6 as IPv4, on both sides': [
    [true, '192.0.2.1', '::ffff:192.0.2.1'],
    [true, '192.0.2.1', '::ffff:c000:201'],
    [true, '192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1'],
    [false, '192.0.2.1', '::ffff:192.0.2.2'],
    [true, '::ffff:192.0.2.1', '192.0.2.1'],
    [true, '::ffff:192.0.2.0/120', '192.0.2.77'],
    [false, '::ffff:192.0.2.0/120', '192.0.3.1'],
    [false, '192.0.2.1', '::192.0.2.1'],
    [false, '192.0.2.1', '64:ff9b::192.0.2.1'],
  ],
  'rejects empty lists, and lists with invalid entries': [
    [false, '', '192.0.2.1'],
    [false, ' , | ', '192.0.2.1'],
    [false, '192.0.2.1,hooks.example.com', '192.0.2.1'],
    [false, '192.0.2.1/33', '192.0.2.1'],
    [false, '192.0.2.1/', '192.0.2.1'],
    [false, '192.0.2.1/-1', '192.0.2.1'],
    [false, '192.0.2.1/24/24', '192.0.2.1'],
    [false, '192.0.2.1 192.0.2.2', '192.0.2.1'],
    [false, '192.0.2', '192.0.2.0'],
    [false, '192.0.2.01', '192.0.2.1'],
    [false, '*', '192.0.2.1'],
    [false, '::ffff:0.0.0.0/95', '192.0.2.1'],
    [false, '192.0.2.1', ''],
    [false, '192.0.2.1', 'unknown'],
  ],
  'trusts the given number of proxies, from the near end': [
    [true, '192.0.2.1', '10.0.0.1', '192.0.2.1', 1],
    [false, '192.0.2.1', '10.0.0.1', '192.0.2.1', 0],
    [false, '192.0.2.1', '10.0.0.1', '192.0.2.1, 203.0.113.9', 1],
    [true, '192.0.2.1', '10.0.0.1', '203.0.113.9, 192.0.2.1', 1],
    [true, '192.0.2.1', '10.0.0.1', '192.0.2.1, 10.0.0.2', 2],
    [true, '192.0.2.1', '10.0.0.1', ['192.0.2.1', '10.0.0.2'], 2],
    [false, '192.0.2.1', '10.0.0.1', ['192.0.2.1', '203.0.113.9, 10.0.0.2'], 2],
    [true, '192.0.2.1', '10.0.0.1', '::ffff:192.0.2.1', 1],
    [true, '192.0.2.1', '10.0.0.1', '::ffff:c000:201', 1],
    [false, '192.0.2.1', '10.0.0.1', 'unknown', 1],
    [false, '192.0.2.1', '10.0.0.1', '', 1],
    [false, '192.0.2.1', '10.0.0.1', '192.0.2.1,', 1],
  ],
};

describe('conformance: addresses', () => {
  for (const [title, cases] of Object.entries(suites)) {
    it(title, async () => {
      for (const one of cases) expect(await allowed(one), JSON.stringify(one)).to.equal(one[0]);
    });
  }
});

describe('address lists', () => {
  const isAllowed = (list: string, address: string): boolean => {
    const contains = compileAddressList(list);
    return typeof contains === 'string' ? expect.fail(contains) : contains(address);
  };

  it('reject ranges that are longer than an address, or shorter than the prefix of mapped IPv4', () => {
    for (const entry of [
      '192.0.2.0/33',
      '192.0.2.0/999',
      '2001:db8::/129',
      '::ffff:192.0.2.0/95',
      '::ffff:192.0.2.0/0',
      '::ffff:192.0.2.0/32',
      '::ffff:192.0.2.0/129',
      '::ffff:c000:200/95',
    ])
      expect(compileAddressList(`198.51.100.1, ${entry}`), entry).to.equal(`"${entry}" is no address and no range`);
  });

  it('accept ranges of every length up to that of the address', () => {
    expect(isAllowed('192.0.2.1/32', '192.0.2.1')).to.equal(true);
    expect(isAllowed('192.0.2.1/32', '192.0.2.0')).to.equal(false);
    expect(isAllowed('192.0.2.1/31', '192.0.2.0')).to.equal(true);
    expect(isAllowed('2001:db8::1/128', '2001:db8::1')).to.equal(true);
    expect(isAllowed('2001:db8::1/128', '2001:db8::2')).to.equal(false);
    expect(isAllowed('::/0', '2001:db8::1')).to.equal(true);
  });

  it('read the prefix of a mapped range after its first 96 bits', () => {
    expect(isAllowed('::ffff:192.0.2.0/96', '203.0.113.9')).to.equal(true);
    expect(isAllowed('::ffff:192.0.2.0/96', '2001:db8::1')).to.equal(false);
    expect(isAllowed('::ffff:192.0.2.0/97', '203.0.113.9')).to.equal(true);
    expect(isAllowed('::ffff:192.0.2.0/97', '127.0.0.1')).to.equal(false);
    expect(isAllowed('::ffff:192.0.2.1/128', '192.0.2.1')).to.equal(true);
    expect(isAllowed('::ffff:192.0.2.1/128', '192.0.2.2')).to.equal(false);
    for (const address of ['1::ffff:192.0.2.1', '::ffff:c000:201:1', '::fffe:192.0.2.1'])
      expect(isAllowed('192.0.2.1', address), address).to.equal(false);
    expect(isAllowed('::ffff:203.113.7.9', '203.113.7.9')).to.equal(true);
    expect(isAllowed('203.113.7.9', '::ffff:cb71:709')).to.equal(true);
  });

  it('reject an invalid prefix, an interface, and a list without an entry', () => {
    for (const entry of [
      '192.0.2.0/',
      '192.0.2.0/x',
      '192.0.2.0/+8',
      '192.0.2.0/8/8',
      '192.0.2.0/0008',
      'fe80::1%eth0',
      'hooks.example.com',
      '192.0.2',
      '192.0.2.01',
      '*',
      '::g',
    ])
      expect(compileAddressList(entry), entry).to.equal(`"${entry}" is no address and no range`);
    for (const list of ['', ' ', ' , | ']) expect(compileAddressList(list), list).to.equal('it names no address');
  });

  it('do not contain invalid addresses', () => {
    for (const address of ['', '%eth0', '192.0.2', 'localhost', '::g', '192.0.2.1/32'])
      expect(isAllowed('0.0.0.0/0, ::/0', address), address).to.equal(false);
  });
});

describe('hmac.verify', () => {
  const isSigned = async (alg: string, key: Buffer, msg: Buffer, header: string): Promise<boolean> =>
    (
      await runLine(
        'hmac.verify',
        JSON.stringify({ id: 1, alg, key: key.toString('hex'), msg: msg.toString('hex'), header }),
      )
    ).ok;

  for (const alg of ALGORITHMS)
    it(`accepts what Node signs with ${alg}, for keys and bodies around a block, and nothing else`, async () => {
      for (const length of [1, 63, 64, 65, 127, 128, 129, 300]) {
        const [key, msg] = [Buffer.alloc(length, `k${length}`), Buffer.alloc(length - 1, 'm')];
        const digest = createHmac(alg, key).update(msg).digest('hex');
        const headers = [digest, `${alg}=${digest.toUpperCase()}`];
        for (const header of headers) expect(await isSigned(alg, key, msg, header)).to.equal(true);
        const others = [digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')), `sha1=${digest}`, digest.slice(2)];
        others.push(`${digest}00`, digest.replace(/.$/, 'g'), digest.replace(/^./, ' '), '');
        for (const header of others) expect(await isSigned(alg, key, msg, header), header).to.equal(false);
        expect(await isSigned(alg, key, Buffer.concat([msg, key]), digest)).to.equal(false);
      }
    });
});
