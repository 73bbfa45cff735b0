/**
 * Examples over real HTTP: every example of a mode and of a feature compiles and is served, every envelope wraps
 * successes and leaves problems unchanged.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { asText, isObject, type JsonObject } from '../../contract/json.js';
import type { TokenType } from '../../plugins/tokens/kind.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PDF, PNG_RED } from '../support/pictures.js';
import { defineReturnResource } from '../support/project.js';
import { connect } from '../support/sockets.js';
import { EXAMPLE_SENDER } from '../support/example-env.js';
import { createJsonBehaviour, startStandIn, type StandIn } from '../support/upstream.js';
import { ENV, type Plugins } from './kind-support.js';
import { createSignedHeaders } from '../support/webhooks.js';

interface Served {
  readonly id: string;
  readonly title: string;
  readonly json: JsonObject;
}

/** Headers that the guard of an example lets in: the claims of the token are all that examples read. */
async function createAuthHeaders(plugins: Plugins, json: JsonObject): Promise<Record<string, string>> {
  const { protected: guard, tokenize } = json;
  if (!isObject(guard) || !isObject(tokenize)) return {};
  const algorithm = typeof tokenize['algorithm'] === 'string' ? tokenize['algorithm'] : null;
  const format = await plugins.handle<TokenType>('token', asText(tokenize['type']));
  const tool = format.create({ algorithm, key: ENV.EXAMPLE_KEY, issues: true, place: 'contract' });
  const { issuer: iss, audience: aud, purpose } = guard;
  const token = await tool.issueToken(
    { id: 'user-1', iss, aud, purpose },
    { now: Date.now(), seconds: 600, id: randomUUID() },
  );
  return { [asText(guard['provide_as'] ?? 'Authorization')]: `Bearer ${token}` };
}

/** The examples of a kind as resources with ids of their own. */
function listExamples(plugins: Plugins, kind: string): Served[] {
  const { registry } = plugins.project;
  return plugins.names(kind).flatMap((name) => {
    const spec = registry.plugin(kind, name)!;
    return spec.examples.map((example, index) => {
      const { json, file } = registry.kind(kind)!.host(example.json, spec);
      expect(file, `${kind} ${name}`).to.equal('resource');
      const id = `${name.toLowerCase().replaceAll('_', '-')}-${index}`;
      return { id, title: `${name}: ${example.title}`, json: { ...json, id, resource: id } };
    });
  });
}

/** A file of a type that the example accepts. */
function createSampleForm(json: JsonObject): FormData {
  const hasType = (type: string): boolean => JSON.stringify(json).includes(JSON.stringify(type));
  const content = hasType('application/pdf') ? PDF : PNG_RED;
  return createFormData([{ name: 'file', content, file: 'sample', type: 'application/octet-stream' }]);
}

/** Examples that need a connection use one. */
async function expectServedOver({ url }: TestKernel, resource: string, payload: unknown): Promise<void> {
  const client = await connect(url);
  try {
    const answer = await client.sendRequest(resource, payload);
    expect(answer).to.include.keys('data').and.not.include.keys('error');
  } finally {
    await client.close();
  }
}

export function servedContract(plugins: Plugins, kind: string, folders: readonly string[]): void {
  describe(`examples of kind ${kind}, served`, () => {
    const kernels: TestKernel[] = [];
    let remote!: StandIn;
    const examples = listExamples(plugins, kind);
    // A message of an open resource to a uid is for the callers of the only guard, or of none.
    const isOpen = ({ json: one }: Served): boolean => JSON.stringify(one).includes('"broadcast_to"');
    const sets = [examples.filter((one) => !isOpen(one)), examples.filter(isOpen)];
    before(async function () {
      remote = await startStandIn(
        ['api.example.com', 'login.example.com'],
        createJsonBehaviour({ id: 'remote-1', name: 'Ada' }),
      );
      for (const set of sets)
        kernels.push(
          await startKernel({
            files: { 'definitions/examples.json': set.map(({ json: one }) => one), ...remote.files },
            config: {
              plugins: ['builtin:*', ...folders],
              connections: { main: { use: 'pglite', path: 'memory://' } },
              outbound: remote.outbound,
              websocket: { enabled: true },
            },
            env: ENV,
          }),
        );
    });
    after(async () => {
      for (const kernel of kernels) await kernel.close();
      await remote.upstream.close();
    });

    for (const served of examples) {
      const { id, title, json: example } = served;
      it(title, async () => {
        const kernel = kernels[isOpen(served) ? 1 : 0]!;
        const plan = kernel.kernel.plans().byId.get(id);
        expect(plan?.reachable).to.equal(true);
        expect(JSON.parse(JSON.stringify(plan?.summary.describe))).to.be.an('object');
        // The sample body that the start prints must satisfy its rules.
        const sample = plan?.summary.sample;
        const body = JSON.stringify(sample);
        const proof = await createSignedHeaders(example['webhook'], body, ENV, EXAMPLE_SENDER.privateKey, `/${id}`);
        const headers = { ...(await createAuthHeaders(plugins, example)), ...proof };
        const { status, text } =
          plan?.files === null
            ? await kernel.post(`/${id}`, body, { headers })
            : await kernel.request('POST', `/${id}`, { headers, body: createSampleForm(example) });
        if (text.includes('"WS_NO_CONNECTION"')) await expectServedOver(kernel, id, sample);
        else expect(status, text).to.equal(200);
        for (const value of Object.values(ENV)) expect(text).not.to.contain(value);
      });
    }
  });
}

export function envelopeContract(plugins: Plugins, name: string): void {
  const spec = plugins.project.registry.plugin('envelope', name)!;
  for (const { title, json } of spec.examples) {
    it(`envelope ${name} (${title}) wraps results of every kind, and never a problem`, async () => {
      const values = [{ n: 1 }, [1, 2], [], null, 'text', 0, false];
      const resources = values.map((value, i) => defineReturnResource(`r${i}`, value));
      const files = { 'definitions/a.json': [...resources, defineReturnResource('need', '$PAYLOAD.absent')] };
      const kernel = await startKernel({ files, config: { envelope: json } });
      for (const [i, value] of values.entries()) {
        const { status, body } = await kernel.post<unknown>(`/r${i}`, {});
        expect(status).to.equal(200);
        const bodies = isObject(body) ? [body, ...Object.values(body)] : [body];
        expect(bodies, JSON.stringify(body)).to.deep.include(value);
      }
      for (const path of ['/need', '/nowhere']) {
        const { headers, body } = await kernel.post(path, {});
        expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
        expect(body).to.include.keys('type', 'title', 'status', 'detail', 'instance', 'code', 'message');
        expect(body['success']).to.equal(false);
      }
      await kernel.close();
    });
  }
}
