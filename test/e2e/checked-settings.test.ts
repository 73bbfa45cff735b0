/**
 * Whatever stops a start is a row of `lintel check`, at its place and all at once: keys, addresses and statements that only a plugin's
 * own code can reject. With `on_problem: "skip"` the rest is served.
 */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { startKernel } from '../support/kernel.js';
import { createTempProject, defineQueryResource, defineReturnResource } from '../support/project.js';

interface Row {
  readonly code: string;
  readonly severity: string;
  readonly file: string;
  readonly range: { readonly start: { readonly line: number } };
}
interface Setting {
  readonly what: string;
  readonly code: string;
  readonly resource?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: object;
  /** The start ends earlier, for want of a server. */
  readonly away?: string;
}

const webhook = (verifications: object): object => ({ ...defineReturnResource('one', 1), webhook: { verifications } });
const token = (tokenize: object): object => ({
  ...defineReturnResource('one', { id: 1 }),
  tokenize: { encryption_key: '$ENV.SETTING', ...tokenize },
  protected: { extract_claims: ['id'] },
});
const action = (rest: object): object => ({ id: 'one', resource: 'one', actionables: [{ id: 1, ...rest }] });
const BAD_PEM = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
const SIGNED = { header_key: '$HEADER.x-signature', public_key_pem: '$ENV.SETTING' };

const SETTINGS: readonly Setting[] = [
  {
    what: 'a public key of a webhook',
    code: 'WHK_SETTING',
    resource: webhook({ PublicKeySignatureVerifier: SIGNED }),
    env: { SETTING: BAD_PEM },
  },
  {
    what: 'addresses of a webhook',
    code: 'WHK_SETTING',
    resource: webhook({ IpAllowListVerifier: { allowed_ips: '$ENV.SETTING' } }),
    env: { SETTING: '10.0.0.1/33' },
  },
  {
    what: 'a key pair of tokens',
    code: 'TOK_KEY',
    resource: token({ type: 'JWT', algorithm: 'RS256' }),
    env: { SETTING: BAD_PEM },
  },
  {
    what: 'a key of encrypted tokens',
    code: 'TOK_KEY',
    resource: token({ type: 'PASETO' }),
    env: { SETTING: 'hex:zz' },
  },
  {
    what: 'a key of a field',
    code: 'CPH_KEY',
    resource: {
      ...defineQueryResource('one', 'SELECT $1::text AS x', ['$PAYLOAD.x']),
      actionables: [
        {
          ...{
            id: 1,
            mode: 'QUERY',
            sql_query: { query: 'INSERT INTO _secret (id, x) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', 'x'] },
          },
          payload_validation: [{ field: { x: { type: 'STRING' } } }],
          ciphers: [
            { algorithm: 'Aes256Gcm', operation: 'Encrypt', properties: ['x'], options: { key: '$ENV.SETTING' } },
          ],
        },
      ],
    },
    env: { SETTING: 'hex:00112233445566778899aabbccddee' },
  },
  {
    what: 'an address of a call',
    code: 'OUT_URL',
    resource: action({ mode: 'HTTPREQUEST', http: { url: '$ENV.SETTING/x', method: 'POST' } }),
    env: { SETTING: 'ftp://nowhere' },
  },
  {
    what: 'a statement without a form on MySQL',
    code: 'QRY_NOT_TRANSLATED',
    resource: defineQueryResource('one', 'SELECT x::inet AS x FROM _secret', []),
    config: { connections: { main: { use: 'mysql', url: '$ENV.SETTING' } } },
    env: { SETTING: 'mysql://127.0.0.1:1/none' },
    away: 'PLG_OPEN',
  },
  {
    what: 'an address of the config',
    code: 'CCH_ADDRESS',
    config: { cache: { use: 'redis', url: '$ENV.SETTING' } },
    resource: {
      ...defineReturnResource('one', 1),
      cacheable: { read_from_cache: true, cache_key: 'one', duration: 60 },
    },
    env: { SETTING: 'nonsense' },
  },
];

const MODEL = { _secret: { id: { type: 'String', primary_key: true }, x: { type: 'String', optional: true } } };

describe('settings that stop a start', () => {
  async function check(resources: readonly object[], config: object, env: Record<string, string>): Promise<Row[]> {
    const project = await createTempProject({
      'definitions/all.json': [MODEL, ...resources],
      'lintel.config.json': config,
    });
    try {
      const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder, env });
      return (JSON.parse(stdout) as Row[]).filter(({ severity }) => severity === 'error');
    } finally {
      await project.dispose();
    }
  }
  const start = (resources: readonly object[], config: object, env: Record<string, string>, skip = false) =>
    startKernel({
      files: { 'definitions/all.json': [MODEL, ...resources] },
      ...{ config: config as Record<string, unknown>, env, ...(skip && { onProblem: 'skip' as const }) },
    });

  for (const { what, code, resource = defineReturnResource('one', 1), env = {}, config = {}, away } of SETTINGS)
    it(`${what}: a row of the check, and the reason of the start`, async () => {
      const rows = await check([resource], config, env);
      expect(rows.map((row) => row.code)).to.deep.equal([code]);
      const failure = await start([resource], config, env).then(
        (kernel) => kernel.close().then(() => null),
        (error: unknown) => error as { code: string; problems?: readonly Row[] },
      );
      const reason = failure?.problems?.find(({ severity }) => severity === 'error')?.code ?? failure?.code;
      expect(reason).to.equal(away ?? code);
    });

  it('are said all at once, each at its field, and the rest is served where that is wanted', async () => {
    const [first, second] = SETTINGS;
    const env = { SETTING: BAD_PEM };
    const resources = [
      first!.resource!,
      { ...second!.resource!, id: 'two', resource: 'two' },
      { ...defineReturnResource('three', 3) },
    ];
    const rows = await check(resources, {}, env);
    expect(rows.map((row) => row.code)).to.deep.equal(['WHK_SETTING', 'WHK_SETTING']);
    expect(new Set(rows.map((row) => row.range.start.line)).size).to.equal(2);
    const kernel = await start(resources, {}, env, true);
    try {
      expect((await kernel.post('/three')).status).to.equal(200);
      for (const path of ['/one', '/two']) expect((await kernel.post(path)).status).to.equal(503);
      expect(kernel.kernel.degraded()).to.equal(true);
      expect(kernel.kernel.problems().filter(({ code }) => code === 'WHK_SETTING')).to.have.length(2);
    } finally {
      await kernel.close();
    }
  });
});
