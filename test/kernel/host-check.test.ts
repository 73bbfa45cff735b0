/** Which names of this server are valid, whatever the request before named. */
import { expect } from 'chai';
import { createHostCheck } from '../../kernel/http/host-check.js';

describe('host check', () => {
  it('decides each name alone, also behind another one, and accepts a request without the header', () => {
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

  it('takes a name for itself only, and the names under one that begins with a star', () => {
    const isOwn = createHostCheck(
      { host: '0.0.0.0', hosts: ['shop.example', '*.wide.example'], trusted_proxies: 0 },
      false,
    );
    for (const name of ['shop.example', 'a.wide.example', 'a.b.wide.example'])
      expect(isOwn?.(name), name).to.equal(true);
    for (const name of ['a.shop.example', 'badshop.example', 'hop.example', 'wide.example', 'badwide.example'])
      expect(isOwn?.(name), name).to.equal(false);
  });

  it('is not made for a server that any name may reach', () => {
    expect(createHostCheck({ host: '0.0.0.0', hosts: [], trusted_proxies: 0 }, false)).to.equal(null);
  });
});
