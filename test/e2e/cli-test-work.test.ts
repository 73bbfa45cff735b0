/** `lintel test`: deferred work, time, called services, messages, webhooks, and stores of every kind. */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { RSA_PUBLIC_PEM } from '../support/rsa.js';

const SECRET = '$ENV.SECRET';
const KEY = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.TOKENS' };
const returns = (id: string, more: object): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: { done: true } }],
  ...more,
});
const insert = (more: object = {}): object => ({
  id: 1,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO _entry (id, at) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', '$DATETIME'] },
  ...more,
});
const charge = (id: string, timeout: number): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'HTTPREQUEST',
      http: {
        url: 'https://pay.example.com/charges',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        request_body: { amount: '$PAYLOAD.amount' },
        retries: 0,
        timeout,
      },
      payload_validation: [{ field: { amount: { type: 'NUMBER' } } }],
    },
  ],
});
const RESOURCES = [
  { id: 'later', resource: 'later', actionables: [insert({ run_in_background: true })] },
  { id: 'delayed', resource: 'delayed', actionables: [insert({ queue: { delay: 3600 } })] },
  { id: 'nightly', resource: 'nightly', actionables: [insert({ cron_job: { execution_interval: '0 0 3 * * *' } })] },
  charge('charge', 10),
  charge('hurry', 1),
  returns('hook', {
    webhook: { verifications: { HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: SECRET } } },
  }),
  returns('header-hook', {
    webhook: { verifications: { HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: SECRET } } },
  }),
  returns('jwt-hook', {
    webhook: {
      verifications: {
        JwtVerifier: { header_key: '$HEADER.authorization', secret_key: SECRET, issuer: 'billing', audience: ['shop'] },
      },
    },
  }),
  returns('key-hook', {
    webhook: {
      verifications: {
        PublicKeySignatureVerifier: { header_key: '$HEADER.x-key', public_key_pem: '$ENV.SENDER', path: 'signed' },
      },
    },
  }),
  returns('here-hook', {
    webhook: {
      verifications: {
        IpAllowListVerifier: { allowed_ips: '127.0.0.1' },
        HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: SECRET },
      },
    },
  }),
  returns('address-hook', { webhook: { verifications: { IpAllowListVerifier: { allowed_ips: '127.0.0.1' } } } }),
  returns('guarded', { tokenize: KEY, protected: { provide_as: 'x-token', extract_claims: ['id'] } }),
  returns('limited', { rate_limit: { limit: 1, expires_after: 60 } }),
  {
    id: 'tell',
    resource: 'tell',
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        value: { text: 'hello' },
        broadcast_websocket_message: { broadcast_type: 'ALL', action: 'told' },
      },
    ],
  },
  {
    id: 'note',
    resource: 'note',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { text: { type: 'STRING' } } }],
        mongo_query: { collection: 'notes', action: 'INSERT', parameters: ['text'] },
      },
    ],
  },
];
const call = (resource: string, more: object = {}, expected: object = { status: 200 }): object => ({
  request: { resource, ...more },
  expect: expected,
});
const createPublicKey = (): string => RSA_PUBLIC_PEM.replaceAll('\n', '\\n');
const PAY = { method: 'POST', url: 'https://pay.example.com/charges' };
/** Far away: what counts the time between both must bear it. */
const NOW = '1990-03-01T10:00:00.000Z';

describe('lintel test: work, time and services', () => {
  let project: TempProject;
  before(async () => {
    project = await createTempProject({
      '.env.example': 'SECRET=generate:40\nTOKENS=generate:40\n',
      // The test signs although only the sender has the private key.
      '.env': `SENDER=${createPublicKey()}\n`,
      'lintel.config.json': { websocket: { enabled: true } },
      'definitions/models.json': {
        _entry: { id: { type: 'String', primary_key: true, max_length: 26 }, at: { type: 'DateTime' } },
        _note: { text: { type: 'String' } },
      },
      'definitions/all.resource.json': RESOURCES,
    });
  });
  after(() => project.dispose());

  async function run(...cases: object[]): Promise<Record<string, string[]>> {
    await project.write('definitions/a.test.json', { id: 'all', cases });
    const warnings: Error[] = [];
    const collect = (warning: Error): void => void warnings.push(warning);
    process.on('warning', collect);
    const { stdout, stderr } = await runCli(['test', '--reporter', 'json'], { cwd: project.folder });
    process.off('warning', collect);
    expect([stderr, warnings]).to.deep.equal(['', []]);
    const report = JSON.parse(stdout) as { cases: { id: string; failures: { message: string }[] }[] };
    return Object.fromEntries(report.cases.map(({ id, failures }) => [id, failures.map(({ message }) => message)]));
  }

  it('passes correct expectations', async () => {
    const given = { now: NOW };
    const found = await run(
      {
        id: 'a job waits, and runs when it is told to',
        given,
        steps: [call('later', {}, { status: 202 })],
        expect: { jobs: [{ resource: 'later', state: 'waiting' }], tables: { entry: [] } },
      },
      {
        id: 'a job runs to its end',
        given,
        steps: [call('later', {}, { status: 202 }), { run: 'jobs' }],
        expect: { jobs: [], tables: { entry: [{ at: NOW }] } },
      },
      {
        id: 'a delayed job waits for its time',
        given,
        steps: [call('delayed', {}, { status: 202 }), { run: 'jobs' }, { wait: 3500 }],
        expect: { jobs: [{ resource: 'delayed' }], tables: { entry: [] } },
      },
      {
        id: 'and runs then',
        given,
        steps: [call('delayed', {}, { status: 202 }), { wait: 3601 }],
        expect: { jobs: [], tables: { entry: [{}] } },
      },
      {
        id: 'schedules run at their instants',
        given,
        steps: [{ wait: 2 * 86_400 }],
        expect: { tables: { entry: [{ at: '1990-03-02T03:00:00.000Z' }, { at: '1990-03-03T03:00:00.000Z' }] } },
      },
      { id: 'and at once', given, steps: [{ run: 'schedules' }], expect: { tables: { entry: [{ at: NOW }] } } },
      {
        id: 'a service answers, and the call is seen',
        given: {
          services: [
            { ...PAY, body: { amount: 1 }, answer: { status: 500 } },
            { ...PAY, answer: { body: { id: 'c1' } } },
          ],
        },
        steps: [call('charge', { body: { amount: 5 } }, { status: 200, body: { id: 'c1' } })],
        expect: { calls: [{ method: 'POST', url: 'https://pay.example.com/charges', body: { amount: 5 } }] },
      },
      {
        id: 'a service fails',
        given: { services: [{ ...PAY, failure: 'disconnect' }] },
        steps: [call('charge', { body: { amount: 5 } }, { problem: { code: 'OUT_FAILED' } })],
      },
      {
        id: 'a service is late',
        given: { services: [{ ...PAY, delay: 1.2 }] },
        steps: [call('hurry', { body: { amount: 5 } }, { problem: { code: 'OUT_TIMEOUT' } })],
      },
      {
        id: 'messages are seen',
        steps: [call('tell')],
        expect: { messages: [{ action: 'told', data: { text: 'hello' }, to: { all: true } }] },
      },
      {
        id: 'webhooks are signed rightly, wrongly, or not at all',
        given: { now: NOW },
        steps: ['hook', 'header-hook', 'jwt-hook', 'key-hook', 'here-hook'].flatMap((one) => [
          call(one, { body: { a: 1 }, signed: true }),
          call(one, { body: { a: 1 }, signed: false }, { status: 401 }),
          call(one, { body: { a: 1 } }, { status: 401 }),
        ]),
      },
      {
        id: 'a token ends with its time',
        given: { claims: { id: '1' }, now: NOW },
        steps: [call('guarded'), call('guarded', { as: false }, { status: 401 })],
      },
      {
        id: 'a limit counts one case',
        steps: [call('limited'), call('limited', {}, { status: 429 }), { wait: 61 }, call('limited')],
      },
      { id: 'and nothing of the one before', steps: [call('limited')] },
      {
        id: 'documents are rows too',
        given: { tables: { notes: [{ text: 'before' }] } },
        steps: [
          call('note', { body: { text: 'after' } }),
          { delete: { notes: [{ text: 'before' }] } },
          { update: { notes: [{ where: { text: { $pattern: 'er$' } }, set: { text: 'changed' } }] } },
          { insert: { notes: [{ text: 'new' }] } },
        ],
        expect: { tables: { notes: [{ text: 'changed', _id: { $any: 'id' } }, { text: 'new' }] } },
      },
      { id: 'and gone in the next case', steps: [], expect: { tables: { notes: [] } } },
    );
    expect(Object.entries(found).filter(([, failures]) => failures.length > 0)).to.deep.equal([]);
    expect(Object.keys(found)).to.have.length(16);
  });

  it('fails wrong expectations: an unexpected call, a remaining job, another message', async () => {
    const found = await run(
      { id: 'call', steps: [call('charge', { body: { amount: 5 } }, { problem: {} })] },
      { id: 'job', steps: [call('later', {}, { status: 202 })], expect: { jobs: [] } },
      { id: 'message', steps: [call('tell')], expect: { messages: [] } },
      { id: 'nothing to sign', steps: [call('address-hook', { signed: true })] },
    );
    expect(found['nothing to sign']).to.deep.equal([
      'no verifier of "address-hook" reads a signature, so "signed" has no effect',
    ]);
    expect(found['call']?.join()).to.contain('no service of the case expects this call');
    expect(found['job']?.join()).to.contain('received 1, also [{"resource":"later"');
    expect(found['message']?.join()).to.contain('expected 0 item(s), received 1');
  });
});
