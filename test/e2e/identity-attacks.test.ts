/**
 * Impersonation: definitions that let one caller act as another or pass a guard are rejected at load, and similar
 * claims, uids, rooms, limits and addresses are distinguished. Tables over real HTTP and WebSocket.
 */
import { expect } from 'chai';
import { createBuiltinRegistry, CONFIG, collectProblems } from '../support/fixtures.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { connect } from '../support/sockets.js';
import { createBearerInit, forgeToken, HS256, signJwt, KEY, getSeconds } from '../support/tokens.js';

const key = (name: string, more: object = {}): object => ({ type: 'JWT', encryption_key: `$ENV.${name}`, ...more });
const guard = (more: object = {}, tokenize: object = {}): object => ({
  tokenize: key('JWT_SECRET_KEY', tokenize),
  protected: { extract_claims: ['id'], ...more },
});
const OTHER = { ...guard(), tokenize: key('GUEST_KEY') };
const WEBHOOK = {
  webhook: { verifications: { HeaderTokenVerifier: { header_key: '$HEADER.x', secret_key: '$ENV.EXAMPLE_KEY' } } },
};
const open = (id: string, rest: object = {}): object => ({ ...defineReturnResource(id, { id: 7 }), ...rest });
const issuing = (tokenize: object): object => open('issues', { tokenize: key('JWT_SECRET_KEY', tokenize) });
const reaching = (rest: object = {}, own: object = {}): object => ({
  ...open('around', rest),
  actionables: [{ id: 1, mode: 'RETURN', value: 1, depends_on: [{ resource_id: 'target', action_ids: [1] }], ...own }],
});
const defineBroadcast = (id: string, message: object, rest: object = {}): object => ({
  ...open(id, rest),
  actionables: [
    { id: 1, mode: 'RETURN', value: { by: id }, broadcast_websocket_message: { action: 'told', ...message } },
  ],
});
const single = { broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.to' };
const createRoomTarget = (name: string): object => ({ broadcast_type: 'ROOM', broadcast_to_room: name });
const joining = (name: string): object => ({
  ...open('join'),
  actionables: [{ id: 1, mode: 'RETURN', value: 1, join_room: name }],
});

/** Problems of a set, except those of valid ones. */
const AT_LOAD: readonly (readonly [what: string, definitions: readonly object[], code: string | null])[] = [
  ['an open resource calls a guarded one', [open('target', guard()), reaching()], 'LNK_PRIVILEGE'],
  ['a guard with another key calls a guarded one', [open('target', guard()), reaching(OTHER)], 'LNK_PRIVILEGE'],
  [
    'a guard for another purpose calls a guarded one',
    [open('target', guard({ purpose: 'reset' })), reaching(guard())],
    'LNK_PRIVILEGE',
  ],
  [
    'a guard for another audience calls a guarded one',
    [open('target', guard({ audience: 'admin' })), reaching(guard())],
    'LNK_PRIVILEGE',
  ],
  [
    'a guard of another format calls a guarded one',
    [open('target', OTHER), reaching({ ...OTHER, tokenize: key('GUEST_KEY', { type: 'PASETO' }) })],
    'LNK_PRIVILEGE',
  ],
  ['a webhook calls a guarded resource', [open('target', guard()), reaching(WEBHOOK)], 'LNK_PRIVILEGE'],
  ['callers reach what senders of a webhook may', [open('target', WEBHOOK), reaching(guard())], 'LNK_PRIVILEGE'],
  [
    'a schedule calls a guarded resource',
    [open('target', guard()), reaching({}, { cron_job: { execution_interval: '0 0 0 1 1 *' } })],
    'LNK_PRIVILEGE',
  ],
  ['the same guard calls a guarded resource', [open('target', guard()), reaching(guard())], null],
  ['a claim of a definition is the purpose', [issuing({ custom_claim_fields: ['purpose'] })], 'TOK_CLAIM_RESERVED'],
  ['a claim of a definition is the audience', [issuing({ custom_claim_fields: ['aud'] })], 'TOK_CLAIM_RESERVED'],
  ['a purpose with a blank', [issuing({ purpose: ' access' })], 'DEF_FORMAT'],
  ['a purpose in capitals', [issuing({ purpose: 'ACCESS' })], 'DEF_FORMAT'],
  ['the caller sets the audience', [issuing({ audience: '$PAYLOAD.id' })], 'ACC_NOT_HERE'],
  ['a header sets the issuer of a guard', [open('a', guard({ issuer: ['$HEADER.x'] }))], 'ACC_NOT_HERE'],
  ['a key is the audience, in plain text in each token', [issuing({ audience: '$ENV.JWT_SECRET_KEY' })], 'SEC_SHARED'],
  ['an unset issuer', [issuing({ issuer: 'shop $ENV.NOT_SET' })], 'ENV_MISSING'],
  [
    'a message to a uid of one of two guards',
    [defineBroadcast('a', single), open('b', guard()), open('c', OTHER)],
    'LNK_REALM',
  ],
  [
    'a room that is joined with another text',
    [defineBroadcast('a', createRoomTarget('team')), joining('teams')],
    'LNK_ROOM',
  ],
  [
    'a room whose text callers would have to name',
    [defineBroadcast('a', createRoomTarget('team')), joining('$PAYLOAD.x')],
    'LNK_ROOM',
  ],
  [
    'a room that is joined',
    [defineBroadcast('a', createRoomTarget('team $PAYLOAD.y')), joining('team $PAYLOAD.x')],
    null,
  ],
];

describe('definitions that allow impersonation', () => {
  const registry = createBuiltinRegistry();
  const listCodes = (definitions: readonly object[]): string[] =>
    collectProblems(
      [
        { file: CONFIG, text: JSON.stringify({ websocket: { enabled: true } }) },
        { file: 'definitions/a.json', text: JSON.stringify(definitions) },
      ],
      registry,
    ).flatMap(({ code, severity }) => (severity === 'hint' ? [] : [code]));
  for (const [what, definitions, code] of AT_LOAD)
    it(what, () => expect(listCodes(definitions)).to.deep.equal(code === null ? [] : [code]));
});

const claimed = (json: string): string => forgeToken(HS256, `{"exp":${getSeconds(600)},"id":${json}}`, KEY);

/** A claim in a token, and the value read from it; null: the token is rejected. */
const CLAIMS: readonly (readonly [claim: string, read: string | null])[] = [
  ['9007199254740993', '"9007199254740993"'],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740993', '"-9007199254740993"'],
  ['0.12345678901234567891', '"0.12345678901234567891"'],
  ['{"a":[9007199254740993]}', '{"a":["9007199254740993"]}'],
  ['9007199254740991', '9007199254740991'],
  ['1.0', '1'],
  ['-0', '0'],
  ['"\\ufeffadmin"', '"\ufeffadmin"'],
  ['null', 'null'],
  ['1e400', null],
  ['1e-400', null],
  ['"\\ud800"', null],
  ['{"\\udc00":1}', null],
  ['{"__proto__":1}', null],
];

/** Claims and uids of connections; which receive a message to the uid. */
const UIDS: readonly (readonly [claim: string, uid: string, hears: boolean])[] = [
  ['9007199254740993', '9007199254740993', true],
  ['9007199254740993', '9007199254740992', false],
  ['"9007199254740993"', '9007199254740993', true],
  ['1', '1', true],
  ['1', '01', false],
  ['1', '1 ', false],
  ['1', '\uff11', false],
  ['["1"]', '1', false],
  ['true', 'true', false],
  ['null', 'null', false],
  ['"i\\u0307"', '\u0130', false],
];

/** Notations of `admin@x.co` and similar ones, under `canonical: "email"`. */
const ADDRESSES: readonly (readonly [sent: string, read: string | null])[] = [
  [' Admin@X.CO. ', 'admin@x.co'],
  ['admin@\uff58.co', 'admin@x.co'],
  ['admin@x\u3002co', 'admin@x.co'],
  ['\uff41\uff44min@x.co', 'admin@x.co'],
  ['admin\uff20x.co', 'admin@x.co'],
  ['\u{1d41a}dmin@x.co', 'admin@x.co'],
  ['\ufb01@x.co', 'fi@x.co'],
  ['\u212aelvin@x.co', 'kelvin@x.co'],
  ['A\u030angstrom@x.co', '\u00e5ngstrom@x.co'],
  ['\u0430dmin@x.co', '\u0430dmin@x.co'],
  ['adm\u0131n@x.co', 'adm\u0131n@x.co'],
  ['stra\u00dfe@x.co', 'stra\u00dfe@x.co'],
  ['a@stra\u00dfe.co', 'a@xn--strae-oqa.co'],
  ['a.dmin@x.co', 'a.dmin@x.co'],
  ['"admin"@x.co', null],
  ['admin@[127.0.0.1]', null],
  ['admin@x.co@y.co', null],
];

/** Two values of a limit of one, and whether they are one caller. */
const COUNTED: readonly (readonly [first: string, second: string, one: boolean])[] = [
  ['9007199254740993', '9007199254740995', false],
  ['9007199254740997', '"9007199254740997"', true],
  ['9007199254740999', '9.007199254740999e15', true],
  ['"\ufb01x"', '"FIX"', true],
  ['"\u00dfx"', '"SSX"', true],
  ['["a"]', '["b"]', false],
  ['[9007199254740993]', '[9007199254740995]', false],
];

/** Values between the texts of a room name, and whether they are one room. */
const ROOMS: readonly (readonly [joined: string, sent: string, one: boolean])[] = [
  ['1', '"1"', true],
  ['9007199254740993', '"9007199254740993"', true],
  ['9007199254740993', '9007199254740992', false],
  ['"\u00e9"', '"e\\u0301"', false],
  ['"blue"', '"Blue"', false],
  ['" 1"', '1', false],
];

describe('similar identities', () => {
  let kernel!: TestKernel;
  const echo = (id: string, rule: object): object => ({
    ...open(id),
    actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD.v', payload_validation: [{ field: { v: rule } }] }],
  });
  before(async () => {
    kernel = await startKernel({
      files: {
        'definitions/a.json': [
          { ...defineReturnResource('me', { id: '$PROTECTED.id' }), ...guard() },
          defineBroadcast('to', single, guard()),
          defineBroadcast('end', { broadcast_type: 'ALL' }),
          joining('team $PAYLOAD.v'),
          defineBroadcast('team', createRoomTarget('team $PAYLOAD.v')),
          echo('address', { type: 'EMAIL', canonical: 'email' }),
          open('limited', { rate_limit: { limit: 1, identifier: '$PAYLOAD.v', expires_after: 600 } }),
        ],
      },
      config: { websocket: { enabled: true } },
      env: { JWT_SECRET_KEY: KEY },
    });
  });
  after(() => kernel.close());

  it('are different in claims', async () => {
    const read = await Promise.all(
      CLAIMS.map(async ([claim]) => {
        const { status, text } = await kernel.post('/me', {}, createBearerInit(claimed(claim)));
        return status === 401 ? null : text;
      }),
    );
    expect(read).to.deep.equal(CLAIMS.map(([, wanted]) => wanted && `{"id":${wanted}}`));
  });

  it('are different in uids', async () => {
    const sender = createBearerInit(await signJwt({ id: 'sender' }));
    for (const [claim, uid, receives] of UIDS) {
      const protocols = ['Authorization', claimed(claim)];
      const client = await connect(kernel.url, { protocols, query: `?uid=${encodeURIComponent(uid)}` });
      await kernel.post('/to', { to: uid }, sender);
      if (receives) expect((await client.next()).data, `${claim} ${uid}`).to.deep.equal({ by: 'to' });
      else expect((await client.next()).error?.['code'], `${claim} ${uid}`).to.equal('WS_NOT_YOURS');
      await client.close();
    }
  });

  it('are different in addresses', async () => {
    const read = await Promise.all(ADDRESSES.map(([v]) => kernel.post('/address', { v })));
    const found = read.map(({ status, body }): unknown => (status === 422 ? null : body));
    expect(found).to.deep.equal(ADDRESSES.map(([, wanted]) => wanted));
  });

  it('are different for a limit', async () => {
    for (const [first, second, one] of COUNTED) {
      expect((await kernel.post('/limited', `{"v":${first}}`)).status, first).to.equal(200);
      expect((await kernel.post('/limited', `{"v":${second}}`)).status, second).to.equal(one ? 429 : 200);
    }
  });

  it('are different in rooms', async () => {
    for (const [joined, sent, one] of ROOMS) {
      const client = await connect(kernel.url);
      client.send(`{"resource":"join","payload":{"v":${joined}}}`);
      expect((await client.next()).data).to.equal(1);
      await kernel.post('/team', `{"v":${sent}}`);
      await kernel.post('/end', {});
      expect((await client.next()).data, `${joined} ${sent}`).to.deep.equal({ by: one ? 'team' : 'end' });
      await client.close();
    }
  });
});
