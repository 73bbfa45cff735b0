/** A reload that is the first to use a plugin with a route: the route exists with the definitions, or not at all. */
import { expect } from 'chai';
import type { BootError } from '../../contract/boot-error.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { defineReturnResource } from '../support/project.js';

const UPLOAD = 'definitions/upload.json';
const TAKEN = 'definitions/taken.json';
const upload = {
  id: 'pictures',
  resource: 'pictures',
  actionables: [{ id: 1, mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/*'] } }],
};

describe('reload: routes of plugins', () => {
  let kernel: TestKernel;
  beforeEach(async () => {
    kernel = await startKernel({ files: { 'definitions/a.json': defineReturnResource('a', 'a1') }, onProblem: 'skip' });
  });
  afterEach(() => kernel.close());

  const store = async (): Promise<string> => {
    const form = createFormData([{ name: 'a', content: PNG_RED, file: 'a.png', type: 'image/png' }]);
    const { status, body, text } = await kernel.request<{ url: string }[]>('POST', '/pictures', { body: form });
    expect(status, text).to.equal(200);
    return body[0]?.url ?? '';
  };

  it('serve stored files of an upload that a reload is the first to use', async () => {
    expect((await kernel.request('GET', '/files/x.png')).status).to.equal(404);
    await kernel.project.write(UPLOAD, upload);
    const { applied, failure } = await kernel.kernel.reload();
    expect(applied, String(failure)).to.equal(true);
    const read = await fetch(kernel.url + (await store()));
    expect([read.status, read.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(Buffer.from(await read.arrayBuffer()).equals(PNG_RED)).to.equal(true);
    // One more reload adds nothing twice.
    await kernel.project.write('definitions/a.json', defineReturnResource('a', 'a2'));
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect(kernel.kernel.routes().map(({ path }) => path)).to.deep.equal(['/files/']);
  });

  it('leave the path to a resource that has it: nothing is reloaded, and nothing of the plugin remains', async () => {
    await kernel.project.write(TAKEN, defineReturnResource('taken', 'mine', { resource: 'files/list' }));
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    await kernel.project.write(UPLOAD, upload);
    for (let i = 0; i < 2; i++) {
      const { applied, failure } = await kernel.kernel.reload();
      expect(applied).to.equal(false);
      expect((failure as BootError).code).to.equal('KRN_ROUTE');
      expect((await kernel.post<unknown>('/files/list', {})).body).to.equal('mine');
      expect(kernel.kernel.routes()).to.deep.equal([]);
    }
    await kernel.project.remove(TAKEN);
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect((await fetch(kernel.url + (await store()))).status).to.equal(200);
  });
});
