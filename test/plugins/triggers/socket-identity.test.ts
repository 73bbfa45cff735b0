/** The identity of a connection by its token: which guard decides, which rejection counts, and the uid. */
import { expect } from 'chai';
import type { IdentityPlan } from '../../../contract/trigger.js';
import { createFault } from '../../../contract/fault.js';
import { authenticatePeer, isOwner, ConnectionRejection } from '../../../plugins/triggers/websocket/peer.js';

describe('token of a connection', () => {
  const takes = (header: string, name: string): IdentityPlan => ({
    key: name,
    realm: name,
    identity: { header, identifyCaller: () => Promise.resolve({ claims: { name }, until: 1 }) },
  });
  const createRefusingIdentity = (header: string, code: string): IdentityPlan => ({
    key: code,
    realm: code,
    identity: { header, identifyCaller: () => Promise.reject(createFault(code)) },
  });
  const runIdentities = async (...identities: IdentityPlan[]): Promise<unknown> => {
    const header = (name: string): string[] => (name === 'x-key' ? ['token'] : []);
    const toStatus = ({ code }: { code: string }): number => (code.startsWith('NO') ? 401 : 503);
    try {
      const admitted = await authenticatePeer(identities, { id: 'i', header, startedAt: 0 }, toStatus);
      return admitted.length === 0 ? null : admitted.map(({ claims, realm }) => [claims['name'], realm]);
    } catch (error) {
      return error instanceof ConnectionRejection ? [error.fault.code, error.code] : error;
    }
  };

  it('is checked by every guard that reads its header, in their order', async () => {
    expect(await runIdentities()).to.equal(null);
    expect(await runIdentities(takes('x-other', 'a'), { key: 'unknown', realm: null, identity: null })).to.equal(null);
    expect(await runIdentities(takes('x-other', 'a'), takes('x-key', 'b'), takes('x-key', 'c'))).to.deep.equal([
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(await runIdentities(createRefusingIdentity('x-key', 'NO'), takes('x-key', 'b'))).to.deep.equal([['b', 'b']]);
    expect(await runIdentities(createRefusingIdentity('x-other', 'NO'))).to.equal(null);
  });

  it('is rejected by the first guard that fails, unless one could not check it', async () => {
    expect(
      await runIdentities(createRefusingIdentity('x-key', 'NO 1'), createRefusingIdentity('x-key', 'NO 2')),
    ).to.deep.equal(['NO 1', 4401]);
    for (const order of [
      ['NO', 'AWAY'],
      ['AWAY', 'NO'],
      ['NO', 'AWAY', 'NO'],
    ])
      expect(
        await runIdentities(...order.map((code) => createRefusingIdentity('x-key', code))),
        order.join(),
      ).to.deep.equal(['AWAY', 1013]);
  });

  it('allows its owner the uid of its claim, as text or number', () => {
    const owner = (claims: object, uid = '7') => isOwner(uid, { claims } as never, 'id');
    expect([owner({ id: '7' }), owner({ id: 7 })]).to.deep.equal([true, true]);
    expect([
      owner({ id: '07' }),
      owner({}),
      owner({ id: null }, 'null'),
      owner({ id: ['7'] }),
      owner({ id: true }, 'true'),
    ]).to.deep.equal(Array(5).fill(false));
    expect(isOwner('function Object() { [native code] }', { claims: {} } as never, 'constructor')).to.equal(false);
  });
});
