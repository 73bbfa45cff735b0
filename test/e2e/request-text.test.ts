/**
 * Text of a request, in each of its places: body, query string, path, header, form and message of a connection. It is
 * passed unchanged, including a byte order mark at its beginning, or it is rejected.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { connect } from '../support/sockets.js';

const MARKED = '\ufeffadmin';
const FILES = {
  'definitions/all.json': [
    defineReturnResource('body', '$PAYLOAD.name'),
    defineReturnResource('item', '$PAYLOAD.name', { resource: 'item/:name' }),
    defineReturnResource('header', '$HEADER.x-name'),
  ],
};

describe('text of a request', () => {
  let kernel: TestKernel;
  before(async () => {
    const http = { methods: ['GET', 'POST'] };
    const env = { ALLOW_WEBSOCKET_CONNECTIONS: 'true' };
    kernel = await startKernel({ files: FILES, config: { http }, env });
  });
  after(() => kernel.close());

  it('preserves U+FEFF at its beginning, in every position', async () => {
    const form = new FormData();
    form.set('name', MARKED);
    const encoded = encodeURIComponent(MARKED);
    const answers = await Promise.all([
      kernel.post('/body', { name: MARKED }),
      kernel.request('GET', `/body?name=${encoded}`),
      kernel.request('GET', `/item/${encoded}`),
      kernel.request('POST', '/body', { body: form }),
    ]);
    expect(answers.map(({ text }) => JSON.parse(text) as unknown)).to.deep.equal(answers.map(() => MARKED));
  });

  it('preserves it in messages of a connection', async () => {
    const socket = await connect(kernel.url);
    expect(await socket.sendRequest('body', { name: MARKED })).to.have.property('data', MARKED);
    await socket.close();
  });

  it('is rejected if it is not UTF-8, instead of replacing a character', async () => {
    const form = 'multipart/form-data; boundary=x';
    const part = Buffer.concat([
      Buffer.from('--x\r\ncontent-disposition: form-data; name="name"\r\n\r\na'),
      Buffer.from([0xff]),
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const answers = await Promise.all([
      kernel.post('/body', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')])),
      kernel.request('GET', '/body?name=a%FF'),
      kernel.request('GET', '/item/a%FF'),
      kernel.request('POST', '/body', { body: part, headers: { 'content-type': form } }),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 404, 400]);
  });
});
