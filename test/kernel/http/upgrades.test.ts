/** Which requests leave HTTP. */
import { expect } from 'chai';
import { createRequestClass } from '../../../kernel/http/upgrades.js';

describe('upgrade requests', () => {
  it('leave HTTP if they are admitted, after one check; others remain requests', () => {
    let asked = 0;
    const createTestRequest = (admits: boolean, method = 'GET') => {
      const Request = createRequestClass(() => (++asked, admits));
      return Object.assign(new Request(null as never), { method }) as unknown as { upgrade: unknown };
    };
    const [taken, left, tunnel] = [
      createTestRequest(true),
      createTestRequest(false),
      createTestRequest(true, 'CONNECT'),
    ];
    expect(taken.upgrade).to.equal(null);
    for (const one of [taken, left, tunnel]) one.upgrade = true;
    expect([taken.upgrade, taken.upgrade, left.upgrade, tunnel.upgrade, asked]).to.deep.equal([
      true,
      true,
      false,
      true,
      2,
    ]);
  });
});
