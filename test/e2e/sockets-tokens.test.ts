/** Tokens of connections: how they are sent, their owner, and their validity. */
import { expect } from 'chai';
import { formatRequestHead } from '../support/client.js';
import { defineReturnResource } from '../support/project.js';
import { createSocketFixture, UPGRADE, type ConnectOptions } from '../support/sockets.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY, getSeconds } from '../support/tokens.js';

const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.KEY' };
const me = (id: string, tokenize: object = TOKENIZE, guard: object = {}): object => ({
  ...defineReturnResource(id, { id: '$PROTECTED.id', sent: '$PAYLOAD' }),
  tokenize,
  protected: { extract_claims: ['id'], ...guard },
});
const GUARDED = {
  'definitions/a.json': [
    defineReturnResource('open', { ok: true }),
    me('me'),
    me('me-too'),
    me('other', { type: 'JWT', encryption_key: '$ENV.OTHER' }),
    me('own', TOKENIZE, { provide_as: 'x-access' }),
    { id: 'sign-out', resource: 'sign-out', tokenize: TOKENIZE, invalidate_tokenize: { tokens: '$PAYLOAD.tokens' } },
    {
      ...defineReturnResource('wrong-password', 1),
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { password: 'x' },
          verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
        },
      ],
    },
  ],
};
const ENV = { KEY, OTHER: OTHER_KEY };
const OPEN = { 'definitions/a.json': [defineReturnResource('open', { ok: true })] };

describe('tokens of connections', () => {
  const { start, open, farewell } = createSocketFixture(OPEN);
  const startGuarded = (websocket: object = {}) => start({ files: GUARDED, env: ENV }, websocket);
  const withToken = (token: string, header = 'Authorization'): ConnectOptions => ({ protocols: [header, token] });

  it('are sent in the sub-protocols: only the name of the header is returned, and messages have the header', async () => {
    const kernel = await startGuarded();
    const token = await signJwt({ id: 'ada' });
    for (const header of ['Authorization', 'authorization', 'AUTHORIZATION', 'x-access']) {
      const client = await open(kernel.url, withToken(token, header));
      expect(client.socket.protocol).to.equal(header);
      const resource = header === 'x-access' ? 'own' : 'me';
      expect((await client.sendRequest(resource, {})).data).to.deep.equal({ id: 'ada', sent: {} });
    }
    const asked = formatRequestHead('GET', '/ws', { ...UPGRADE, 'sec-websocket-protocol': `Authorization, ${token}` });
    const answer = await kernel.raw([asked, Buffer.from('888000000000', 'hex')]);
    expect(answer).to.contain('101 Switching').and.contain('Protocol: Authorization\r\n').and.not.contain(token);
  });

  it('may be in the header itself, if a client can send one', async () => {
    const kernel = await startGuarded();
    const headers = { authorization: `Bearer ${await signJwt({ id: 'ada' })}` };
    const client = await open(kernel.url, { headers });
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
    const rejected = await farewell(kernel.url, { headers: { authorization: 'Bearer a.b.c' } });
    expect(rejected).to.include({ code: 'TOK_REFUSED', status: 401, closed: 4401 });
  });

  it('of the sub-protocols take precedence over a header of the same name', async () => {
    const kernel = await startGuarded();
    const client = await open(kernel.url, {
      headers: { authorization: `Bearer ${await signJwt({ id: 'eve' })}` },
      protocols: ['Authorization', await signJwt({ id: 'ada' })],
    });
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
  });

  it('that no guard accepts close the connection, with a readable reason', async () => {
    const kernel = await startGuarded();
    const expired = await signJwt({ id: 'ada', exp: getSeconds(-60) });
    const [, , signature = ''] = expired.split('.');
    for (const token of [
      'nonsense',
      'a.b.c',
      expired,
      `${expired}x`,
      await signJwt({ id: 'ada' }, `${KEY}x`),
      signature,
    ])
      expect(await farewell(kernel.url, withToken(token)), token).to.deep.equal({
        action: 'connect',
        code: 'TOK_REFUSED',
        status: 401,
        closed: 4401,
      });
  });

  it('are accepted by any guard that reads the header', async () => {
    const kernel = await startGuarded();
    const client = await open(kernel.url, withToken(await signJwt({ id: 'bob' }, OTHER_KEY)));
    expect((await client.sendRequest('other')).data).to.include({ id: 'bob' });
    // Another guard does not accept it; the connection keeps its identity.
    expect((await client.sendRequest('me')).error).to.include({ code: 'TOK_REFUSED' });
    expect((await client.sendRequest('other')).data).to.include({ id: 'bob' });
  });

  it('in a header that no guard reads are rejected', async () => {
    const kernel = await startGuarded();
    const token = await signJwt({ id: 'ada' });
    for (const protocols of [
      ['X-Other', token],
      ['graphql-ws', 'json'],
      ['Authorization', token, 'more'],
    ])
      expect(await farewell(kernel.url, { protocols }), protocols.join()).to.include({
        code: 'WS_HANDSHAKE',
        closed: 4400,
      });
    const free = await start();
    expect(await farewell(free.url, withToken(token))).to.include({ code: 'WS_HANDSHAKE', closed: 4400 });
  });

  it('determine the uid that the connection may have', async () => {
    const kernel = await startGuarded();
    const token = await signJwt({ id: 'ada', sub: 'other', n: 7 });
    const client = await open(kernel.url, { ...withToken(token), query: '?uid=ada' });
    expect((await client.sendRequest('me', { a: 1 })).data).to.deep.equal({ id: 'ada', sent: { a: 1, id: 'ada' } });
    expect(await farewell(kernel.url, { ...withToken(token), query: '?uid=eve' })).to.deep.equal({
      action: 'connect',
      code: 'WS_NOT_YOURS',
      status: 401,
      closed: 4401,
    });
    const without = await signJwt({ sub: 'ada' });
    expect(await farewell(kernel.url, { ...withToken(without), query: '?uid=ada' })).to.include({ closed: 4401 });
    for (const [id, uid] of [
      [['ada'], 'ada'],
      [{ toString: 'x' }, '[object Object]'],
      [null, 'null'],
      [true, 'true'],
    ] as const)
      expect(await farewell(kernel.url, { ...withToken(await signJwt({ id })), query: `?uid=${uid}` }), uid).to.include(
        {
          code: 'WS_NOT_YOURS',
        },
      );
    const bySub = await startGuarded({ uid_claim: 'sub' });
    expect(
      (await (await open(bySub.url, { ...withToken(token), query: '?uid=other' })).sendRequest('me')).uid,
    ).to.equal('other');
    const byNumber = await startGuarded({ uid_claim: 'n' });
    expect((await (await open(byNumber.url, { ...withToken(token), query: '?uid=7' })).sendRequest('me')).uid).to.equal(
      '7',
    );
    const inherited = await startGuarded({ uid_claim: 'constructor' });
    expect(await farewell(inherited.url, { ...withToken(token), query: '?uid=a' })).to.include({ closed: 4401 });
  });

  it('are not needed to connect, only for a resource that requires one', async () => {
    const kernel = await startGuarded();
    const client = await open(kernel.url);
    expect((await client.sendRequest('me')).error).to.include({ code: 'TOK_REFUSED', status: 401 });
    expect((await client.sendRequest('open')).data).to.deep.equal({ ok: true });
  });

  it('that a message is rejected for end the connection once they are revoked', async () => {
    const kernel = await startGuarded();
    const token = await signJwt({ id: 'ada', jti: 'one' });
    const client = await open(kernel.url, withToken(token));
    const quiet = await open(kernel.url, withToken(await signJwt({ id: 'bob', jti: 'two' })));
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
    await kernel.post('/sign-out', { tokens: `Bearer ${token}` }, createBearerInit(token));
    expect((await client.sendRequest('me')).error).to.include({ code: 'TOK_REFUSED' });
    expect((await client.closed).code).to.equal(4401);
    expect((await quiet.sendRequest('me')).data).to.include({ id: 'bob' });
  });

  it('are checked again while nothing is sent', async () => {
    const kernel = await startGuarded({ ping: 0.05 });
    const token = await signJwt({ id: 'ada', jti: 'three' });
    const client = await open(kernel.url, withToken(token));
    await client.sendRequest('me');
    await kernel.post('/sign-out', { tokens: `Bearer ${token}` }, createBearerInit(token));
    expect((await client.next()).error).to.include({ code: 'TOK_REFUSED' });
    expect((await client.closed).code).to.equal(4401);
  });

  it('close the connection with a readable reason when they expire', async () => {
    const kernel = await startGuarded();
    const client = await open(kernel.url, {
      ...withToken(await signJwt({ id: 'ada', exp: getSeconds(2) })),
      query: '?uid=ada',
    });
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
    const { uid, action, error } = await client.next();
    expect({ uid, action, code: error?.['code'], status: error?.['status'] }).to.deep.equal({
      uid: 'ada',
      action: 'connect',
      code: 'WS_TOKEN_OVER',
      status: 401,
    });
    expect((await client.closed).code).to.equal(4401);
  });

  it('are checked by the guards of the newest definitions', async () => {
    const kernel = await start();
    const token = await signJwt({ id: 'ada' });
    expect(await farewell(kernel.url, withToken(token))).to.include({ closed: 4400 });
    await kernel.project.write('definitions/b.json', me('me', { type: 'JWT', encryption_key: '$ENV.KEY' }));
    const failed = await kernel.kernel.reload();
    expect(failed.applied).to.equal(false);
    await kernel.project.write('definitions/b.json', me('me', { type: 'JWT', encryption_key: KEY }));
    await kernel.kernel.reload();
    const client = await open(kernel.url, withToken(token));
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
  });

  it('remain valid after a wrong password', async () => {
    const kernel = await startGuarded();
    const client = await open(kernel.url, withToken(await signJwt({ id: 'ada' })));
    const { error } = await client.sendRequest('wrong-password', { password: 'y' });
    expect(error).to.include({ status: 401 });
    expect((await client.sendRequest('me')).data).to.include({ id: 'ada' });
  });
});
