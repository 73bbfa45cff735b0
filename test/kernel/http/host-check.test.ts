/** Which names of this server are valid, whatever the request before named. */
import { expect } from 'chai';
import { createHostCheck } from '../../../kernel/http/host-check.js';

describe('Host check', () => {
  it('checks each host name, also behind a proxy, and accepts a request without the header', () => {
    const isOwn = createHostCheck(
      { host: '0.0.0.0', hosts: ['shop.example', '*.shop.example'], trusted_proxies: 0 },
      false,
    );
    const sent = [
      undefined,
      'shop.example',
      'evil.example',
      undefined,
      'evil.example',
      'SHOP.example:8080',
      '',
      'a.shop.example',
    ];
    expect(sent.map((name) => isOwn?.(name))).to.deep.equal([true, true, false, true, false, true, false, true]);
    expect(sent.toReversed().map((name) => isOwn?.(name))).to.deep.equal([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  it('matches a name exactly, and subdomains of a name that begins with a star', () => {
    const isOwn = createHostCheck(
      { host: '0.0.0.0', hosts: ['shop.example', '*.wide.example'], trusted_proxies: 0 },
      false,
    );
    for (const name of ['shop.example', 'a.wide.example', 'a.b.wide.example'])
      expect(isOwn?.(name), name).to.equal(true);
    for (const name of ['a.shop.example', 'badshop.example', 'hop.example', 'wide.example', 'badwide.example'])
      expect(isOwn?.(name), name).to.equal(false);
  });

  it('rejects other names on a loopback address, and in `lintel dev` on any address', () => {
    const isEvilValid = (host: string, dev = false, more: object = {}): boolean | undefined =>
      createHostCheck({ host, hosts: [], trusted_proxies: 0, ...more }, dev)?.('evil.example');
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
      expect([isEvilValid(host), isEvilValid(host, true)], host).to.deep.equal([false, false]);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'fd00::1'])
      expect([isEvilValid(host), isEvilValid(host, true)], host).to.deep.equal([undefined, false]);
    expect(isEvilValid('127.0.0.1', false, { trusted_proxies: 1 }), 'behind a proxy').to.equal(undefined);
  });

  it('is off for a server that accepts every host name', () => {
    expect(createHostCheck({ host: '0.0.0.0', hosts: [], trusted_proxies: 0 }, false)).to.equal(null);
  });
});
