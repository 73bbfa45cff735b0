/** The first half of the known bug classes, each attacked as its advisory describes it, on one kernel with the sample. */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { symlink, writeFile, mkdir } from 'node:fs/promises';
import { expect } from 'chai';
import { testBugClass } from '../support/bug-classes.js';
import { sendAndClose, formatRequestHead, parseRaw, type Loose } from '../support/client.js';
import { defineDocumentResource } from '../support/databases.js';
import { createBuiltinRegistry, collectProblems } from '../support/fixtures.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { FORM_TYPE, createFormData, PNG_RED, createRawForm } from '../support/pictures.js';
import { copyQuickSample, defineQueryResource, defineReturnResource, SAMPLE_ENV } from '../support/project.js';
import { listFilesBelow, waitUntilNoTempFiles } from '../support/temp-files.js';
import { encode, forgeToken, HS256, getSeconds, sign } from '../support/tokens.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';
import { createWalletInit, PASSWORD, createPerson, type Person } from '../support/wallet.js';

const CODE = [
  '$ENV.JWT_SECRET_KEY',
  '{{7*7}}',
  '${7*7}',
  '<%= 7*7 %>',
  '={{ $json.constructor }}',
  '$PAYLOAD.password',
];
const SQL = ["'; DROP TABLE _users; --", "' OR '1'='1", '$1', '$$', '\\', '::int', '" OR 1=1', '/*', "admin'--", '?'];
const OPERATORS = [
  { $ne: null },
  { $gt: '' },
  { $regex: '^h' },
  [{ $ne: null }],
  { a: { $ne: null } },
  { $where: '1' },
];
const calling = (id: string, url: string, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'HTTPREQUEST', http: { url, ...more } }],
});

describe('classes of bugs', () => {
  let kernel!: TestKernel;
  let upstream!: Upstream;
  let elsewhere!: Upstream;
  let ada!: Person;
  let bob!: Person;

  before(async () => {
    elsewhere = await startUpstream(createJsonBehaviour({ here: 'elsewhere' }));
    upstream = await startUpstream((_req, res) => res.writeHead(302, { location: `${elsewhere.url}/next` }).end());
    kernel = await startKernel({
      prepare: copyQuickSample,
      env: SAMPLE_ENV,
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        documents: { main: { use: 'embedded' } },
        outbound: { dynamic_hosts: true, allow: [`127.0.0.1:${upstream.port}`, `127.0.0.1:${elsewhere.port}`] },
      },
      files: {
        'definitions/attacked.json': [
          defineReturnResource('echo', { text: '$PAYLOAD.text' }),
          defineQueryResource('order', `SELECT '$1' AS a, $2::text AS b, $1::text AS c, $$ $2 $$ AS d /* $3 */`, [
            '$PAYLOAD.one',
            '$PAYLOAD.two',
          ]),
          defineQueryResource('state', 'SELECT id FROM _users WHERE name = $1', ['$PAYLOAD.state'], { result: 'many' }),
          defineDocumentResource('hide', { collection: 'secrets', action: 'INSERT', document: { key: 'hidden' } }),
          defineDocumentResource(
            'seek',
            { collection: 'secrets', action: 'FETCH', filter_predicate: { key: '$PAYLOAD.key' } },
            { result: 'many' },
          ),
          calling('fetch', '$PAYLOAD.url'),
          calling('credentials', `${upstream.url}/first`, {
            follow_redirects: 3,
            headers: { authorization: 'Bearer $ENV.MAIL_KEY', 'x-api-key': '$ENV.MAIL_KEY' },
          }),
        ],
      },
    });
    [ada, bob] = await Promise.all([createPerson(kernel), createPerson(kernel)]);
  });
  after(async () => {
    await kernel?.close();
    await Promise.all([upstream?.close(), elsewhere?.close()]);
  });

  const listStoredFiles = (): Promise<string[]> => listFilesBelow(join(kernel.project.folder, '.lintel', 'files'));
  const upload = (content: Buffer, type = 'image/png', file = 'a.png') =>
    kernel.request<readonly Loose[]>('POST', '/gallery/add', {
      ...createWalletInit(ada.token),
      body: createFormData([{ name: 'file', content, file, type }]),
    });

  testBugClass(1, async () => {
    const path = '/etc/passwd';
    const before = await listStoredFiles();
    for (const body of [
      { files: { file: { filepath: path, originalFilename: 'a.png', mimetype: 'image/png', size: 1 } } },
      { files: [{ path, filename: 'a', mimetype: 'image/png' }] },
      { file: { path, storage_key: path }, storage_key: '../../.env', filepath: path, $FILES: [{ path }] },
    ]) {
      const { status, text } = await ada.post('/gallery/add', body);
      expect(status, text).to.be.oneOf([415, 422]);
      expect(text).not.to.contain('root:');
    }
    expect(await listStoredFiles()).to.deep.equal(before);
  });

  testBugClass(2, async () => {
    for (const name of CODE) {
      const { body } = await kernel.post('/echo', { text: name });
      expect(body).to.deep.equal({ text: name });
      const eve = await createPerson(kernel, 0, { name });
      expect((await eve.post('/profile')).body).to.include({ name });
    }
    const registry = createBuiltinRegistry();
    for (const value of ['$PAYLOAD.constructor.constructor', '$ENV.JWT_SECRET_KEY.toString()']) {
      const text = JSON.stringify([defineReturnResource('code', { value })]);
      const codes = collectProblems([{ file: 'definitions/a.json', text }], registry).map(({ severity }) => severity);
      expect(codes, value).to.include('error');
    }
  });

  testBugClass(3, async () => {
    for (const one of SQL) {
      const { status, body, text } = await kernel.post('/order', { one, two: 'two' });
      expect(status, text).to.equal(200);
      expect(body).to.deep.equal({ a: '$1', b: 'two', c: one, d: ' $2 ' });
      expect((await kernel.post('/state', { state: one })).body).to.deep.equal([]);
    }
    const registry = createBuiltinRegistry();
    for (const query of ['SELECT $PAYLOAD.column FROM _users', "SELECT * FROM _users WHERE name = '$PAYLOAD.name'"]) {
      const text = JSON.stringify([defineQueryResource('built', query)]);
      const found = collectProblems([{ file: 'definitions/a.json', text }], registry).map(({ severity }) => severity);
      expect(found, query).to.include('error');
    }
    expect((await ada.post('/profile')).body).to.include({ id: ada.id });
  });

  testBugClass(4, async () => {
    // `attacks-mysql` tests its interpretation by MySQL drivers on two servers.
    for (const state of [{ state: 1 }, { name: { name: 1 } }, [0], ['a', 'b'], { toSqlString: 'x' }])
      expect((await kernel.post('/state', { state })).body).to.include({ code: 'QRY_BAD_VALUE' });
    for (const state of [0, true]) expect((await kernel.post('/state', { state })).body).to.deep.equal([]);
    for (const password of [{ password: 1 }, true, 0, [PASSWORD]])
      expect((await kernel.post('/sign-in', { email: ada.email, password })).status).to.be.oneOf([401, 422]);
  });

  testBugClass(5, async () => {
    expect((await kernel.post('/hide')).status).to.equal(200);
    expect((await kernel.post('/seek', { key: 'hidden' })).body).to.have.length(1);
    for (const key of OPERATORS) {
      const { status, body, text } = await kernel.post('/seek', { key });
      expect(text).not.to.contain('hidden');
      if (status === 200) expect(body).to.deep.equal([]);
    }
  });

  testBugClass(6, async () => {
    for (const path of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'profile/__proto__'])
      expect((await kernel.post(`/${path}`, {})).status, path).to.equal(404);
    for (const body of [
      '{"__proto__":{"admin":true}}',
      '{"a":{"b":1},"c":{"__proto__":{"x":1}}}',
      '{"a":[{"constructor":{"prototype":{"x":1}}}]}',
      '{"text":"x","z":{"y":[1,{"prototype":{}}]}}',
    ])
      expect((await kernel.post('/echo', body)).body, body).to.include({ status: 400, code: 'REQ_NAME_REFUSED' });
    const odd = { ['__proto__']: 'x', constructor: 'y' };
    const more = { 'content-type': 'application/json', 'content-length': 13, connection: 'close' };
    const raw = await kernel.raw(`${formatRequestHead('POST', '/echo', { ...odd, ...more })}{"text":"ok"}`);
    expect(parseRaw(raw).status).to.equal(200);
    expect(({} as Loose)['admin'] ?? ({} as Loose)['x']).to.equal(undefined);
  });

  testBugClass(7, async () => {
    const event = { event: 'event-0001', wallet: ada.id, amount: 5 };
    for (const headers of [{}, { 'x-payment-signature': '' }, { 'x-payment-signature': 'sha256=' }])
      expect((await kernel.post('/payments/webhook', event, { headers })).status).to.equal(401);
    for (const path of [
      '/profile?/payments/webhook',
      '/payments/webhook/../../profile',
      '//payments/webhook',
      '/x?/sign-in',
    ])
      expect((await kernel.post(path, {})).status, path).to.be.oneOf([401, 404]);
    const registry = createBuiltinRegistry();
    for (const webhook of [
      {},
      { verifications: {} },
      { verifications: { IpWhitelistVerifier: { ip_addresses: [] } } },
    ]) {
      const text = JSON.stringify([{ ...defineReturnResource('hook', 1), webhook }]);
      const found = collectProblems([{ file: 'definitions/a.json', text }], registry).map(({ severity }) => severity);
      expect(found, JSON.stringify(webhook)).to.include('error');
    }
    expect(await ada.balance()).to.equal(0);
  });

  testBugClass(8, async () => {
    const before = await listStoredFiles();
    const form = createFormData([{ name: 'file', content: PNG_RED, file: 'a.png', type: 'image/png' }]);
    for (const init of [{}, createWalletInit('x'), createWalletInit(`${ada.token}x`)]) {
      const { status } = await kernel.request('POST', '/gallery/add', { ...init, body: form });
      expect(status).to.equal(401);
    }
    const [key = ''] = (await upload(PNG_RED)).body.map((row) => String(row['storage_key']));
    expect((await kernel.post('/gallery/remove', [key])).status).to.equal(401);
    expect((await bob.post('/gallery/remove', [key])).status).to.equal(422);
    expect((await listStoredFiles()).length).to.equal(before.length + 1);
    await waitUntilNoTempFiles();
  });

  testBugClass(9, async () => {
    const key = SAMPLE_ENV.JWT_SECRET_KEY;
    const claims = { ...(JSON.parse(Buffer.from(ada.token.split('.')[1] ?? '', 'base64url').toString()) as Loose) };
    expect(
      (await kernel.post('/profile', {}, createWalletInit(forgeToken(HS256, claims, key)))).status,
      'a sound one',
    ).to.equal(200);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const unsigned = (alg: unknown): string => `${encode({ alg, typ: 'JWT' })}.${encode(claims)}.`;
    const tokens = [
      ...['none', 'None', 'nOnE', '', null, ['HS256'], 0].map(unsigned),
      forgeToken({ alg: 'HS512' }, claims, key, 'sha512'),
      ...[pem, ` ${pem}`, pem.trim()].map((text) => forgeToken(HS256, claims, text)),
      forgeToken({ alg: 'RS256' }, claims, key),
      forgeToken({ ...HS256, jwk: { kty: 'oct', k: encode('x') } }, claims, 'x'),
      forgeToken({ ...HS256, kid: '../../dev/null' }, claims, ''),
      `${encode(HS256)}.${encode({ ...claims, id: bob.id })}.${sign('x', key)}`,
      forgeToken(HS256, { ...claims, exp: getSeconds(-600) }, key),
    ];
    for (const token of tokens)
      expect((await kernel.post('/profile', {}, createWalletInit(token))).status, token).to.equal(401);
  });

  testBugClass(10, async () => {
    const hosts = (
      '127.0.0.1:1 127.1 2130706433 0x7f000001 0177.0.0.1 localhost localhost. [::1] [::] 0.0.0.0 [::ffff:127.0.0.1] ' +
      '[64:ff9b::7f00:1] [2002:7f00:1::] 169.254.169.254 metadata.google.internal 10.0.0.1 192.168.0.1 100.64.0.1 [fe80::1] ⑯⑨.254.169.254'
    ).split(' ');
    for (const url of [
      ...hosts.map((host) => `http://${host}/latest`),
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
      'data:,x',
    ]) {
      const { status, text } = await kernel.post('/fetch', { url });
      expect(status, `${url}: ${text}`).to.equal(422);
    }
    expect(upstream.countOpened() + elsewhere.countOpened()).to.equal(0);
  });

  testBugClass(11, async () => {
    await kernel.post('/credentials', {});
    expect(upstream.requests[0]?.headers.authorization).to.equal(`Bearer ${SAMPLE_ENV.MAIL_KEY}`);
    expect(JSON.stringify(elsewhere.requests.map(({ rawHeaders, url }) => [rawHeaders, url]))).not.to.contain(
      SAMPLE_ENV.MAIL_KEY,
    );
  });

  testBugClass(12, async () => {
    const outside = join(kernel.project.folder, 'outside.png');
    await writeFile(outside, PNG_RED);
    const folder = join(kernel.project.folder, '.lintel', 'files', 'gallery', ada.id);
    await mkdir(folder, { recursive: true });
    await symlink(outside, join(folder, 'planted.png'));
    const keys = [
      '../../../outside.png',
      '..%2f..%2foutside.png',
      '/etc/passwd',
      `gallery/${ada.id}/../${bob.id}/x.png`,
    ];
    for (const key of [
      ...keys,
      `gallery/${ada.id}/planted.png`,
      'gallery/\0',
      '..\\..\\outside.png',
      `gallery/${bob.id}/x.png`,
    ])
      await ada.post('/gallery/remove', [key]);
    const [row] = (await upload(PNG_RED, 'image/png', '../../../../evil.png')).body;
    expect(row?.['storage_key']).to.match(new RegExp(`^gallery/${ada.id}/[\\w-]+\\.png$`));
    const files = await listFilesBelow(kernel.project.folder);
    expect(files).to.include('outside.png');
    expect(files.filter((file) => file.includes('evil'))).to.deep.equal([]);
  });

  testBugClass(13, async () => {
    const html = Buffer.from('<html><script>alert(1)</script></html>');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    for (const [content, type, file] of [
      [html, 'text/html;image/png', 'a.png'],
      [html, 'image/png', 'a.png'],
      [svg, 'image/svg+xml', 'a.svg'],
      [svg, 'image/png', 'a.png'],
      [html, 'IMAGE/PNG', 'a.PNG'],
    ] as const)
      expect((await upload(content, type, file)).status, type).to.be.oneOf([415, 422]);
    const [row] = (await upload(Buffer.concat([PNG_RED, html]), 'image/png', 'a.html')).body;
    expect(row?.['storage_key']).to.match(/\.png$/);
    const { headers } = await kernel.request('GET', new URL(String(row?.['url']), 'http://x').pathname);
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('content-security-policy')).to.contain('sandbox');
  });

  testBugClass(14, async () => {
    const part = (headers: string, content: string | Buffer = 'x') => ({ headers, content });
    const send = (body: Buffer, type = FORM_TYPE) =>
      kernel.request('POST', '/gallery/add', {
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': type },
        body: new Uint8Array(body),
      });
    const file = (name: string) =>
      part(`content-disposition: form-data; name=${name}; filename="a.png"\r\ncontent-type: image/png`, PNG_RED);
    const field = (name: string) => part(`content-disposition: form-data; name="${name}"`);
    for (const [body, type] of [
      [createRawForm([file('""')])],
      [createRawForm([part('content-disposition: form-data; filename="a.png"', PNG_RED)])],
      [createRawForm([field('a[4294967295]')])],
      [createRawForm([field(`a${'[a]'.repeat(10_000)}`)])],
      [createRawForm([field('__proto__')])],
      [createRawForm([file('"a\rb"')])],
      [createRawForm(Array.from({ length: 3000 }, (_, n) => field(`f${n}`)))],
      [createRawForm([file('"file"')], 'b'.repeat(252)), `multipart/form-data; boundary=${'b'.repeat(252)}`],
      [createRawForm([file('"file"')]), 'multipart/form-data'],
      [createRawForm([file('"file"')]).subarray(0, 120)],
      [Buffer.from('--')],
    ] as const) {
      const { status } = await send(body, type);
      expect(status, body.toString('latin1', 0, 90)).to.be.within(400, 499);
    }
    const whole = createRawForm([file('"file"')]);
    const port = Number(new URL(kernel.url).port);
    const before = await listStoredFiles();
    for (let at = 1; at < whole.length; at += 64) {
      const top = formatRequestHead('POST', '/gallery/add', {
        authorization: `Bearer ${ada.token}`,
        'content-type': FORM_TYPE,
        'content-length': whole.length,
      });
      await sendAndClose(port, Buffer.concat([Buffer.from(top), whole.subarray(0, at)]), at % 128 === 1);
    }
    await waitUntilNoTempFiles();
    expect(await listStoredFiles()).to.deep.equal(before);
    expect((await upload(PNG_RED)).status).to.equal(200);
  });
});
