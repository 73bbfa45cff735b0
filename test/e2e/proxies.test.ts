/** The address of the client behind proxies: trusted and forged headers. */
import { expect } from 'chai';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const FILES = { 'definitions/a.json': defineReturnResource('where', { ip: '$HEADER.ip' }) };
/** The header as often as there are texts. */
const CASES: readonly (readonly [proxies: number, sent: readonly string[], ip: string])[] = [
  [0, [], '127.0.0.1'],
  [0, ['203.0.113.9'], '127.0.0.1'],
  [0, ['203.0.113.9, 198.51.100.1'], '127.0.0.1'],
  [1, [], '127.0.0.1'],
  [1, ['203.0.113.9'], '203.0.113.9'],
  // The client may have written everything before the entry of the proxy.
  [1, ['10.0.0.1, 203.0.113.9'], '203.0.113.9'],
  [1, ['10.0.0.1', '203.0.113.9'], '203.0.113.9'],
  [1, ['10.0.0.1,,203.0.113.9'], '203.0.113.9'],
  [1, ['2001:db8::1'], '2001:db8::1'],
  [1, ['::ffff:203.0.113.9'], '203.0.113.9'],
  [1, ['::FFFF:203.0.113.9'], '203.0.113.9'],
  [1, ['203.0.113.9, '], '127.0.0.1'],
  [1, ['unknown'], '127.0.0.1'],
  [1, ['203.0.113.9 198.51.100.1'], '127.0.0.1'],
  [1, ['127.1'], '127.0.0.1'],
  [1, ['<script>'], '127.0.0.1'],
  [2, ['203.0.113.9'], '127.0.0.1'],
  [2, ['203.0.113.9, 198.51.100.1'], '203.0.113.9'],
  [2, ['10.0.0.1, 203.0.113.9, 198.51.100.1'], '203.0.113.9'],
  [2, ['10.0.0.1, 203.0.113.9', '198.51.100.1'], '203.0.113.9'],
];

describe('address of the client', () => {
  const kernels = new Map<number, TestKernel>();
  before(async () => {
    for (const proxies of [0, 1, 2]) {
      const config = { http: proxies === 0 ? {} : { trusted_proxies: proxies } };
      kernels.set(proxies, await startKernel({ files: FILES, config }));
    }
  });
  after(() => Promise.all([...kernels.values()].map((kernel) => kernel.close())));

  for (const [proxies, sent, ip] of CASES) {
    it(`is ${ip} behind ${proxies} trusted proxies, with the headers ${JSON.stringify(sent)}`, async () => {
      const lines = sent.map((text) => `x-forwarded-for: ${text}\r\n`).join('');
      const start = formatRequestHead('POST', '/where', { connection: 'close' });
      const answer = parseRaw((await kernels.get(proxies)?.raw(`${start.slice(0, -2)}${lines}\r\n`)) ?? '');
      expect(JSON.parse(answer.body)).to.deep.equal({ ip });
    });
  }

  it('is not affected by any other header', async () => {
    const headers = {
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'x-client-ip': '203.0.113.9',
      'true-client-ip': '203.0.113.9',
      ip: '203.0.113.9',
    };
    for (const kernel of kernels.values()) {
      expect((await kernel.post('/where', {}, { headers })).body).to.deep.equal({ ip: '127.0.0.1' });
    }
  });
});
