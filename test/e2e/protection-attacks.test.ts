/**
 * Definitions that try to bypass hashing or encryption: storing plain text, from any source, and returning a hash or a
 * ciphertext. Each is rejected at load, or still protects.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import type { Loose } from '../support/client.js';
import { CLEAR, FORM, MODELS, REJECTED, SEALED, SERVED, VALID, WARNED } from '../support/protection-attacks.js';

describe('definitions that try to bypass a protection', () => {
  const config = { connections: { main: { use: 'pglite', path: 'memory://' } } };
  const env = { KEY: 'canary-field-key-Qm7xT2vLs9Rw4Zk', BLIND_INDEX_KEY: 'canary-blind-key-Qm7xT2vLs9Rw4Zkw' };
  const cases = [
    ...Object.entries(REJECTED).flatMap(([code, list]) => list.map((one) => ({ ...one, code }))),
    ...VALID.map((one) => ({ ...one, code: null })),
  ];
  const warned = Object.entries(WARNED).flatMap(([code, list]) => list.map((one) => ({ ...one, code })));
  let kernel: TestKernel;
  before(async () => {
    const files: Record<string, unknown> = { 'definitions/all.json': [...MODELS, ...SERVED] };
    for (const [n, { actionables, rest }] of [...cases, ...warned].entries())
      files[`definitions/x${n}.json`] = { id: `x${n}`, resource: `x${n}`, actionables, ...rest };
    kernel = await startKernel({ files, config, env, onProblem: 'skip' });
  });
  after(() => kernel.close());

  for (const [n, { title, code }] of cases.entries())
    it(`${code === null ? 'are accepted if valid' : `are rejected with ${code}`}: ${title}`, () => {
      const own = kernel.kernel.problems().filter(({ file }) => file === `definitions/x${n}.json`);
      const errors = own.flatMap((one) => (one.severity === 'error' ? [one.code] : []));
      expect([...new Set(errors)]).to.deep.equal(code === null ? [] : [code]);
    });

  for (const [n, { title, code }] of warned.entries())
    it(`cause the warning ${code}: ${title}`, () => {
      const file = `definitions/x${cases.length + n}.json`;
      const own = kernel.kernel.problems().filter((one) => one.file === file);
      expect(own.map((one) => one.code)).to.include(code);
    });

  const listStored = async (): Promise<string[]> =>
    (await kernel.post<readonly Loose[]>('/rows')).body.map(({ kept }) => String(kept));

  it('store a hash of each item of a list from a result, under its own name or by its path', async () => {
    for (const path of ['/items', '/items-path']) expect((await kernel.post(path, {})).status, path).to.equal(200);
    const kept = await listStored();
    expect(kept).to.have.length(4);
    for (const one of kept) expect(one).to.match(FORM);
  });

  it('store a ciphertext of each of them', async () => {
    const before = await listStored();
    expect((await kernel.post('/items-sealed', {})).status).to.equal(200);
    const kept = (await listStored()).filter((one) => !before.includes(one));
    expect(kept).to.have.length(2);
    for (const one of kept) expect(one).to.match(SEALED);
  });

  it('store nothing if an item lacks its value', async () => {
    const before = await listStored();
    const { status, body } = await kernel.post('/items-lacking', {});
    expect([status, body['code']]).to.deep.equal([422, 'HSH_NAME']);
    expect(await listStored()).to.deep.equal(before);
  });

  it('store a hash of a value that is sent in a list, inside a text, and in a document', async () => {
    expect((await kernel.post('/sent', { list: [{ id: 's', secret: CLEAR }] })).status).to.equal(200);
    expect((await kernel.post('/around', { id: 'around', secret: CLEAR })).status).to.equal(200);
    expect((await kernel.post('/document', { id: 'd', kept: CLEAR })).status).to.equal(200);
    expect((await listStored()).join()).not.to.include(CLEAR);
    const { body } = await kernel.post<readonly Loose[]>('/documents', {});
    expect(body[0]?.['kept']).to.match(FORM);
  });

  it('return neither a hash nor plain text', async () => {
    const { text } = await kernel.post('/returning', { id: 'r', secret: CLEAR });
    expect(text).not.to.include('$2b$').and.not.to.include(CLEAR);
    for (const path of ['star', 'wrapped', 'with', 'listed', 'grouped', 'document-project', 'document-root']) {
      const answer = await kernel.post(`/${path}`, {});
      expect(answer.status, path).to.equal(200);
      expect(answer.text, path).not.to.include('$2b$').and.not.to.include(CLEAR);
    }
  });
});
