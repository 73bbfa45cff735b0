/** The owner of a uid, equal rooms, and connections that require a token. Real clients on a real kernel. */
import { expect } from 'chai';
import { toRoomKey, type RoomPart } from '../../plugins/shared/room-names.js';
import { startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { fc } from '../support/properties.js';
import { connect, createSocketFixture, type ConnectOptions, type SocketClient } from '../support/sockets.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY } from '../support/tokens.js';

const guard = (key: string, more: object = {}): object => ({
  tokenize: { type: 'JWT', encryption_key: key },
  protected: { extract_claims: ['id', 'team'], ...more },
});
const CUSTOMER = guard('$ENV.KEY');
const COURIER = guard('$ENV.OTHER');
const defineBroadcast = (id: string, message: object, rest: object = {}): object => ({
  ...defineReturnResource(id, 0),
  actionables: [
    { id: 1, mode: 'RETURN', value: { by: id }, broadcast_websocket_message: { action: 'told', ...message } },
  ],
  ...rest,
});
const createSingleTarget = (more: object = {}): object => ({
  broadcast_type: 'SINGLE',
  broadcast_to: '$PAYLOAD.to',
  ...more,
});
const createBulkTarget = (more: object = {}): object => ({
  broadcast_type: 'BULK',
  broadcast_to: ['$PAYLOAD.to'],
  ...more,
});
const createRoomTarget = (name: string): object => ({ broadcast_type: 'ROOM', broadcast_to_room: name });
const joining = (id: string, name: string, rest: object = {}): object => ({
  ...defineReturnResource(id, 0),
  actionables: [{ id: 1, mode: 'RETURN', value: 1, join_room: name }],
  ...rest,
});

const customer = async (claims: object = { id: 1 }): Promise<ConnectOptions> => ({
  protocols: ['Authorization', await signJwt({ ...claims })],
  query: '?uid=1',
});
const courier = async (): Promise<ConnectOptions> => ({
  protocols: ['Authorization', await signJwt({ id: 1 }, OTHER_KEY)],
  query: '?uid=1',
});
const unauthenticated: ConnectOptions = { query: '?uid=1' };

describe('uid', () => {
  let kernel!: TestKernel;
  const clients: SocketClient[] = [];
  const start = async (definitions: readonly object[], options: TestKernelOptions = {}): Promise<void> => {
    kernel = await startKernel({
      files: { 'definitions/a.json': definitions },
      config: { websocket: { enabled: true } },
      env: { KEY, OTHER: OTHER_KEY },
      ...options,
    });
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await kernel.close();
  });
  const open = async (options: ConnectOptions): Promise<SocketClient> => {
    const client = await connect(kernel.url, options);
    clients.push(client);
    return client;
  };
  const post = async (path: string, token?: string): Promise<void> =>
    void expect(
      (await kernel.post(path, { to: 1 }, token === undefined ? {} : createBearerInit(token))).status,
    ).to.equal(200);
  /** Messages that each received before a message to all. */
  const collectReceived = async (...of: SocketClient[]): Promise<string[][]> => {
    await post('/end');
    return Promise.all(
      of.map(async (client) => {
        const got: string[] = [];
        for (;;) {
          const { by } = (await client.next()).data as { by: string };
          if (by === 'end') return got;
          got.push(by);
        }
      }),
    );
  };
  const END = defineBroadcast('end', { broadcast_type: 'ALL' });

  it('belongs to the callers of a guard: the same uid of another key receives none of their messages', async () => {
    await start([
      END,
      defineBroadcast('to-customer', createSingleTarget(), CUSTOMER),
      defineBroadcast('to-customers', createBulkTarget(), CUSTOMER),
      defineBroadcast('to-courier', createSingleTarget(), COURIER),
      defineBroadcast('courier-to-customer', createSingleTarget({ broadcast_guard: 'to-customer' }), COURIER),
      defineBroadcast('open-to-courier', createBulkTarget({ broadcast_guard: 'to-courier' })),
    ]);
    const [a, b, c] = [await open(await customer()), await open(await courier()), await open(unauthenticated)];
    await post('/to-customer', await signJwt({ id: 9 }));
    await post('/to-customers', await signJwt({ id: 9 }));
    await post('/to-courier', await signJwt({ id: 9 }, OTHER_KEY));
    await post('/courier-to-customer', await signJwt({ id: 9 }, OTHER_KEY));
    await post('/open-to-courier');
    expect(await collectReceived(a, b, c)).to.deep.equal([
      ['to-customer', 'to-customers', 'courier-to-customer'],
      ['to-courier', 'open-to-courier'],
      [],
    ]);
    const missed = kernel.log.filter(({ message }) => message.includes('not delivered'));
    expect(missed.map(({ level, fields }) => [level, fields['cause']])).to.have.deep.members([
      ['warn', 'the guard of the message does not let in its token'],
      ['warn', 'it shows no token that proves its uid'],
    ]);
  });

  it('needs no token if no guard requires one, also when other resources have guards', async () => {
    await start([
      END,
      defineBroadcast('open', createSingleTarget()),
      defineBroadcast('open-many', createBulkTarget()),
      defineBroadcast('guarded', createSingleTarget(), CUSTOMER),
      defineBroadcast('for-callers', createSingleTarget({ broadcast_guard: 'guarded' })),
    ]);
    const [a, c] = [await open(await customer()), await open(unauthenticated)];
    for (const path of ['/open', '/open-many', '/for-callers']) await post(path);
    await post('/guarded', await signJwt({ id: 2 }));
    expect(await collectReceived(a, c)).to.deep.equal([
      ['open', 'open-many', 'for-callers', 'guarded'],
      ['open', 'open-many'],
    ]);
  });

  const HOOK = 'a-secret-of-the-sender-3kd9';
  const startWithWebhook = (guarded: object, options: TestKernelOptions = {}): Promise<void> => {
    const webhook = {
      webhook: { verifications: { HeaderTokenVerifier: { header_key: '$HEADER.x-hook', secret_key: '$ENV.HOOK' } } },
    };
    const definitions = [END, defineBroadcast('paid', createSingleTarget(), webhook), guarded];
    return start(definitions, { env: { KEY, OTHER: OTHER_KEY, HOOK }, ...options });
  };
  const callWebhook = async (): Promise<void> => {
    const { status } = await kernel.post('/paid', { to: 1 }, { headers: { 'x-hook': HOOK } });
    expect(status).to.equal(200);
  };

  it('of a webhook reaches its verified callers, if one guard identifies them', async () => {
    await startWithWebhook(defineBroadcast('guarded', createSingleTarget(), CUSTOMER));
    const [a, c] = [await open(await customer()), await open(unauthenticated)];
    await callWebhook();
    expect(await collectReceived(a, c)).to.deep.equal([['paid'], []]);
  });

  it('of a webhook cannot be proved while the only guard is that of an invalid resource', async () => {
    const invalid = { ...CUSTOMER, no_such_field: 1 };
    await startWithWebhook(defineBroadcast('guarded', createSingleTarget(), invalid), { onProblem: 'skip' });
    // A message of a plugin, which names no guard, depends on whether there is any.
    expect(kernel.kernel.plans().identities.map(({ identity }) => identity)).to.deep.equal([null]);
    const c = await open(unauthenticated);
    await callWebhook();
    expect(await collectReceived(c)).to.deep.equal([[]]);
  });

  it('is distinguished by audience and issuer too, and cannot be proved by a token for another purpose', async () => {
    await start([
      END,
      defineBroadcast('customers', createSingleTarget(), CUSTOMER),
      defineBroadcast('admins', createSingleTarget(), guard('$ENV.KEY', { audience: 'admin' })),
      defineBroadcast('reset', createSingleTarget(), guard('$ENV.KEY', { purpose: 'password-reset' })),
    ]);
    const connections = [{}, { aud: 'admin' }, { aud: ['admin'] }, { purpose: 'password-reset' }].map(async (claims) =>
      open(await customer({ id: 1, ...claims })),
    );
    const all = await Promise.all(connections);
    await post('/customers', await signJwt({ id: 9 }));
    await post('/admins', await signJwt({ id: 9, aud: 'admin' }));
    await post('/reset', await signJwt({ id: 9, purpose: 'password-reset' }));
    expect(await collectReceived(...all)).to.deep.equal([['customers', 'reset'], ['admins'], ['admins'], []]);
  });

  it('is proved by each token separately if two headers contain two', async () => {
    await start([
      END,
      defineBroadcast('customers', createSingleTarget(), CUSTOMER),
      defineBroadcast('couriers', createSingleTarget(), guard('$ENV.OTHER', { provide_as: 'x-courier' })),
    ]);
    const client = await open({
      headers: {
        authorization: `Bearer ${await signJwt({ id: 1 })}`,
        'x-courier': await signJwt({ id: 2 }, OTHER_KEY),
      },
      query: '?uid=1',
    });
    await post('/customers', await signJwt({ id: 9 }));
    expect(
      (await kernel.post('/couriers', { to: 1 }, { headers: { 'x-courier': await signJwt({ id: 9 }, OTHER_KEY) } }))
        .status,
    ).to.equal(200);
    expect(await collectReceived(client)).to.deep.equal([['customers']]);
  });

  it('works with a required uid as well', async () => {
    await start(
      [
        END,
        defineBroadcast('to-customer', createSingleTarget(), CUSTOMER),
        defineBroadcast('to-courier', createSingleTarget(), COURIER),
      ],
      {
        env: { KEY, OTHER: OTHER_KEY, FORCE_WEBSOCKET_WITH_UID: 'true' },
      },
    );
    const [a, b] = [await open(await customer()), await open(await courier())];
    await post('/to-customer', await signJwt({ id: 9 }));
    expect(await collectReceived(a, b)).to.deep.equal([['to-customer'], []]);
  });

  it('without a known guard prevents the start, with the possible ids', async () => {
    const failed = await start([
      defineBroadcast('open', createSingleTarget()),
      returningWith('a', CUSTOMER),
      returningWith('b', COURIER),
    ]).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(failed).to.contain('LNK_REALM');
    await start([END]);
  });
});

const returningWith = (id: string, rest: object): object => ({ ...defineReturnResource(id, 1), ...rest });

describe('rooms', () => {
  const { start, open } = createSocketFixture({
    'definitions/a.json': [
      joining('join-team', 'team $PAYLOAD.team'),
      joining('join-any', '$PAYLOAD.room'),
      joining('join-admins', 'team $PROTECTED.team admins', CUSTOMER),
      joining('join-own', 'team $PROTECTED.team', CUSTOMER),
      defineBroadcast('to-admins', createRoomTarget('team $PAYLOAD.team admins')),
      defineBroadcast('to-team', createRoomTarget('team $PAYLOAD.team')),
      defineBroadcast('to-words', createRoomTarget('team blue admins')),
      defineBroadcast('to-tenant', createRoomTarget('team $ENV.TENANT')),
      defineBroadcast('end', { broadcast_type: 'ALL' }),
    ],
  });

  it('with another text are other rooms, whatever a caller sends', async () => {
    const kernel = await start({ env: { KEY, OTHER: OTHER_KEY, TENANT: 'acme' } });
    const [eve, admin, member] = [
      await open(kernel.url),
      await open(kernel.url, await customer({ id: 1, team: 'blue' })),
      await open(kernel.url),
    ];
    for (const team of ['blue admins', 'acme', 'team blue admins', '["blue"]', 'blue"],"admins'])
      expect((await eve.sendRequest('join-team', { team })).error).to.equal(undefined);
    for (const name of ['team blue admins', 'team acme', '["team ",["blue"]," admins"]', 'team blue'])
      expect((await eve.sendRequest('join-any', { room: name })).error).to.equal(undefined);
    expect((await admin.sendRequest('join-admins')).error).to.equal(undefined);
    expect((await member.sendRequest('join-team', { team: 'blue' })).error).to.equal(undefined);
    for (const path of ['/to-admins', '/to-team', '/to-words', '/to-tenant', '/end'])
      expect((await kernel.post(path, { team: 'blue' })).status).to.equal(200);
    const got = async (client: SocketClient): Promise<string[]> => {
      const names: string[] = [];
      for (let by = ''; by !== 'end';) {
        ({ by } = (await client.next()).data as { by: string });
        names.push(by);
      }
      return names;
    };
    expect(await got(eve)).to.deep.equal(['end']);
    expect(await got(admin)).to.deep.equal(['to-admins', 'end']);
    expect(await got(member)).to.deep.equal(['to-team', 'end']);
  });

  it('have different keys for different lists of texts and values', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('', '[', '"', '\\', '],["', 'team ', 'a', '["a"]'),
    );
    const part = fc.oneof(
      text,
      text.map((value): RoomPart => [value]),
    );
    const parts = fc.array(part, { minLength: 1, maxLength: 4 });
    /** Adjacent texts are one text. */
    const meant = (list: readonly RoomPart[]): string => {
      const out: RoomPart[] = [];
      for (const one of list) {
        const last = out.at(-1);
        if (typeof one === 'string' && typeof last === 'string') out[out.length - 1] = last + one;
        else if (one !== '') out.push(one);
      }
      return JSON.stringify(out);
    };
    fc.assert(
      fc.property(parts, parts, (a, b) => (toRoomKey(a) === toRoomKey(b)) === (meant(a) === meant(b))),
      { numRuns: 3000 },
    );
    expect(toRoomKey(['["a"]'])).not.to.equal(toRoomKey([['a']]));
  });
});

describe('connections that require a token', () => {
  const { start, open, farewell } = createSocketFixture({
    'definitions/a.json': [returningWith('me', CUSTOMER), defineReturnResource('open', 1)],
  });
  const REJECTED = { action: 'connect', code: 'WS_TOKEN', status: 401, closed: 4401 };

  it('are rejected without one before any message, by the config or by the environment', async () => {
    const env = { KEY, OTHER: OTHER_KEY };
    const byConfig = await start({ env }, { force_token: true });
    const byEnvironment = await start({ env: { ...env, FORCE_WEBSOCKET_WITH_TOKEN: 'TRUE' } });
    for (const { url } of [byConfig, byEnvironment]) {
      expect(await farewell(url, {})).to.deep.equal(REJECTED);
      expect(await farewell(url, unauthenticated)).to.deep.equal(REJECTED);
      expect(await farewell(url, await courier())).to.include({ code: 'TOK_REFUSED', closed: 4401 });
      expect((await (await open(url, await customer())).sendRequest('open')).data).to.equal(1);
    }
    const free = await start({ env: { ...env, FORCE_WEBSOCKET_WITH_TOKEN: 'false' } }, { force_token: true });
    expect((await (await open(free.url)).sendRequest('open')).data).to.equal(1);
    const closed = await start(
      { files: { 'definitions/a.json': defineReturnResource('open', 1) } },
      { force_token: true },
    );
    const warnings = [byConfig, byEnvironment, free, closed].map(
      ({ log }) => log.filter(({ message }) => message.startsWith('no client can connect')).length,
    );
    expect(warnings, 'the start says where no token is accepted').to.deep.equal([0, 0, 0, 1]);
  });
});
