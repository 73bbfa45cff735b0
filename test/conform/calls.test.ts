/**
 * Allowed addresses of calls: every kind of address that is not public, in every notation, and the settings that allow
 * one.
 */
import { expect } from 'chai';
import { ops } from './calls.js';

interface Row {
  readonly url: string;
  readonly to?: readonly string[];
  readonly allow?: readonly string[];
  readonly ports?: readonly number[];
  /** The reason; undefined: it may be called. */
  readonly because?: string;
}

const PUBLIC = ['93.184.215.14'];
const checkCall = async ({ url, to = PUBLIC, allow, ports }: Row): Promise<string | undefined> => {
  const policy = { ...(allow && { allow }), ...(ports && { ports }) };
  return (await ops['url.guard']!({ url, addresses: to, policy })).error;
};

/** Addresses, and why they are rejected; checked as the host of a URL and as the address that a name resolves to. */
const RESERVED: Readonly<Record<string, string>> = {
  '0.0.0.0': 'unspecified',
  '0.1.2.3': 'unspecified',
  '10.0.0.1': 'private',
  '10.255.255.255': 'private',
  '100.64.0.1': 'carrierGradeNat',
  '100.127.255.254': 'carrierGradeNat',
  '100.100.100.200': 'metadata',
  '127.0.0.1': 'loopback',
  '127.255.255.254': 'loopback',
  '169.254.0.1': 'linkLocal',
  '169.254.169.254': 'metadata',
  '169.254.170.2': 'metadata',
  '168.63.129.16': 'metadata',
  '172.16.0.1': 'private',
  '172.31.255.255': 'private',
  '192.0.0.1': 'reserved',
  '192.0.0.192': 'metadata',
  '192.0.2.1': 'reserved',
  '192.88.99.1': 'reserved',
  '192.168.0.1': 'private',
  '198.18.0.1': 'reserved',
  '198.19.255.255': 'reserved',
  '198.51.100.1': 'reserved',
  '203.0.113.1': 'reserved',
  '224.0.0.1': 'multicast',
  '239.255.255.255': 'multicast',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
  '::': 'unspecified',
  '::1': 'loopback',
  '::7f00:1': 'reserved',
  '::ffff:127.0.0.1': 'ipv4Mapped',
  '::ffff:8.8.8.8': 'ipv4Mapped',
  '::ffff:169.254.169.254': 'metadata',
  '::ffff:0:127.0.0.1': 'rfc6145',
  '64:ff9b::a9fe:a9fe': 'rfc6052',
  '64:ff9b::808:808': 'rfc6052',
  '64:ff9b:1::a00:1': 'rfc6052',
  '100::1': 'discard',
  '2001::1': 'teredo',
  '2001:0:7f00:1::': 'teredo',
  '2001:db8::1': 'reserved',
  '2002:7f00:1::': '6to4',
  '2002:a9fe:a9fe::': '6to4',
  '3fff::1': 'reserved',
  '4000::1': 'reserved',
  'fc00::1': 'uniqueLocal',
  'fd00:ec2::254': 'metadata',
  'fd12:3456::1': 'uniqueLocal',
  'fe80::1': 'linkLocal',
  'fec0::1': 'deprecatedSiteLocal',
  'ff02::1': 'multicast',
};

describe('url.guard', () => {
  for (const [address, because] of Object.entries(RESERVED)) {
    it(`rejects ${address}, as written and as resolved`, async () => {
      const host = address.includes(':') ? `[${address}]` : address;
      for (const port of ['', ':8080']) {
        expect(await checkCall({ url: `http://${host}${port}/x` }), 'written').to.equal(because);
      }
      expect(await checkCall({ url: 'https://name.example/x', to: [address] }), 'resolved').to.equal(because);
      expect(await checkCall({ url: 'https://name.example/x', to: [...PUBLIC, address] }), 'among others').to.equal(
        because,
      );
    });
  }

  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '169.253.1.1',
    '2606:4700::1111',
    '2a00:1450::5',
  ]) {
    it(`allows a call to ${address}`, async () => {
      const host = address.includes(':') ? `[${address}]` : address;
      expect(await checkCall({ url: `https://${host}/` })).to.equal(undefined);
      expect(await checkCall({ url: 'https://name.example', to: [address] })).to.equal(undefined);
    });
  }

  /** Notations and names that systems resolve to 127.0.0.1 or 169.254.169.254. */
  const rows: readonly Row[] = [
    ...[
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '0177.0.0.1',
      '①②⑦.0.0.1',
      '127。0。0。1',
      '127.0.0.1.',
    ].map((host) => ({ url: `http://${host}/`, because: 'loopback' })),
    ...['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518'].map((host) => ({
      url: `http://${host}/`,
      because: 'metadata',
    })),
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'a.b.localhost.',
      'localhost.localdomain',
      'ip6-localhost',
      'ⓛocalhost',
    ].map((host) => ({ url: `http://${host}:3000/`, because: 'localhost' })),
    ...['metadata', 'metadata.google.internal', 'METADATA.google.internal.', 'metadata.goog', 'instance-data'].map(
      (host) => ({ url: `http://${host}/`, because: 'metadata' }),
    ),
    { url: 'http://127.0.0.1.nip.io/', to: ['127.0.0.1'], because: 'loopback' },
    { url: 'http://name.example/', to: [], because: 'unresolved' },
    { url: 'http://name.example/', to: ['127.1'], because: 'not an address' },
    { url: 'http://name.example/', to: ['fe80::1%eth0'], because: 'linkLocal' },
    ...[
      'ftp://a.example/',
      'file:///etc/passwd',
      'gopher://a.example/',
      'data:text/plain,a',
      'javascript:1',
      'unix:/run/x',
      'ws://a.example/',
    ].map((url) => ({ url, because: 'scheme' })),
    ...[
      '',
      '//a.example',
      'a.example',
      'http://',
      'http://[::1',
      'http://a b/',
      'http://999.1.1.1/',
      'http://a.example:99999/',
    ].map((url) => ({
      url,
      because: 'not a URL',
    })),
    { url: 'http://user@a.example/', because: 'credentials' },
    { url: 'http://user:pass@a.example/', because: 'credentials' },
    { url: 'http://a.example@127.0.0.1/', because: 'credentials' },
    { url: 'http://a.example\\@127.0.0.1/' },
    { url: 'http://a.example#@127.0.0.1/' },
    { url: 'http://[::ffff:7f00:1]/', because: 'ipv4Mapped' },
    { url: 'http://[0:0:0:0:0:0:0:1]/', because: 'loopback' },
  ];
  for (const row of rows) {
    it(`${row.because === undefined ? 'allows' : 'rejects'} ${JSON.stringify(row.url)} ${row.to?.join() ?? ''}`, async () => {
      expect(await checkCall(row)).to.equal(row.because);
    });
  }

  const opened: readonly Row[] = [
    { url: 'http://10.1.2.3/', allow: ['10.0.0.0/8'] },
    { url: 'http://10.1.2.3/', allow: ['10.1.2.3'] },
    { url: 'http://10.1.2.3:81/', allow: ['10.1.2.3:80'], because: 'private' },
    { url: 'http://10.1.2.3:81/', allow: ['10.1.0.0/16:81'] },
    { url: 'http://11.1.2.3/', allow: ['10.0.0.0/8'] },
    { url: 'http://192.168.0.1/', allow: ['10.0.0.0/8'], because: 'private' },
    { url: 'http://[::ffff:10.0.0.1]/', allow: ['10.0.0.0/8'] },
    { url: 'http://[fd00::5]:443/', allow: ['[fd00::5]:443'] },
    { url: 'http://[fd00::5]/', allow: ['[fd00::5]:443'], because: 'uniqueLocal' },
    { url: 'http://[fd00::5]/', allow: ['fd00::/16'] },
    { url: 'http://billing.internal/', to: ['10.0.0.9'], allow: ['billing.internal'] },
    { url: 'http://BILLING.internal./', to: ['10.0.0.9'], allow: ['Billing.Internal'] },
    { url: 'http://a.billing.internal/', to: ['10.0.0.9'], allow: ['billing.internal'], because: 'private' },
    { url: 'http://billing.internal:8080/', to: ['10.0.0.9'], allow: ['billing.internal:80'], because: 'private' },
    { url: 'http://name.example/', to: ['10.0.0.9'], allow: ['10.0.0.0/8'] },
    { url: 'http://localhost:3000/', to: ['127.0.0.1'], allow: ['localhost:3000'] },
    { url: 'http://localhost:3000/', to: ['127.0.0.1'], allow: ['127.0.0.1'], because: 'localhost' },
    // A wide range, or a name, does not allow addresses of credential services.
    { url: 'http://169.254.169.254/', allow: ['169.254.0.0/16', '0.0.0.0/0'], because: 'metadata' },
    { url: 'http://billing.internal/', to: ['169.254.169.254'], allow: ['billing.internal'], because: 'metadata' },
    { url: 'http://169.254.169.254/', allow: ['169.254.169.254'] },
    { url: 'https://a.example/', ports: [443] },
    { url: 'http://a.example/', ports: [443], because: 'port' },
    { url: 'https://a.example:22/', ports: [443], because: 'port' },
    { url: 'http://8.8.8.8:22/', ports: [443], because: 'port' },
    { url: 'http://8.8.8.8:22/', ports: [443], allow: ['8.8.8.8:22'] },
    { url: 'http://a.example:22/', to: ['8.8.8.8'], ports: [443], allow: ['9.9.9.9:22'], because: 'port' },
    { url: 'http://a.example:22/', ports: [443], allow: ['a.example:22'] },
  ];
  for (const row of opened) {
    const { url, to = [], allow = [], ports = [], because = 'open' } = row;
    it(`with ${[...allow, ...ports].join()}: ${url} ${to.join()} is ${because}`, async () => {
      expect(await checkCall(row)).to.equal(row.because);
    });
  }
});
