/**
 * The shared vectors of texts and of JSON, as messages: texts are returned unchanged, and HTTP and sockets reject the
 * same.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource, vectorFile } from '../support/project.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

interface Case {
  readonly id: string;
  readonly op: string;
  readonly text?: string;
  readonly bytes?: string;
  readonly content_type?: string;
  readonly expect: { readonly ok: boolean | null; readonly out?: unknown };
}

const readCases = (name: string): readonly Case[] | null => {
  const file = vectorFile(name);
  if (file === null) return null;
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
};

describe('messages against the shared vectors', function () {
  let kernel: TestKernel;
  let client: SocketClient;
  before(async () => {
    const files = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
    const limits = { rate: 1_000_000, message: 1_048_576 };
    kernel = await startKernel({ files, config: { websocket: { enabled: true, limits } } });
    client = await connect(kernel.url);
  });
  after(async () => {
    await client.close();
    await kernel.close();
  });

  for (const name of ['naughty-strings.jsonl', 'sql-strings.jsonl', 'crlf-strings.jsonl'])
    it(`${name}: return each text unchanged, as a value and as a name`, async function () {
      const cases = readCases(name);
      if (cases === null) return skipTest(this, NO_SHARED);
      const texts = cases.flatMap(({ text }) => (text === undefined ? [] : [text]));
      expect(texts.length).to.be.greaterThan(30);
      const wrong: string[] = [];
      for (const text of texts) {
        const { data, action } = await client.sendRequest('echo', { text }, { action: text.slice(0, 256) });
        if ((data as { text: unknown }).text !== text || action !== text.slice(0, 256)) wrong.push(text);
      }
      expect(wrong).to.deep.equal([]);
    });

  it('json-body.jsonl: accept and reject a payload like a body', async function () {
    const cases = readCases('json-body.jsonl');
    if (cases === null) return skipTest(this, NO_SHARED);
    const wrong: string[] = [];
    let sent = 0;
    for (const { id, bytes = '', content_type, expect: wanted } of cases) {
      const body = Buffer.from(bytes, 'hex');
      // Invalid text cannot be part of a message, and an empty body is not an empty payload.
      if (content_type !== 'application/json' || body.length === 0 || !Buffer.from(body.toString()).equals(body))
        continue;
      sent += 1;
      client.send(Buffer.concat([Buffer.from('{"resource":"echo","payload":'), body, Buffer.from('}')]).toString());
      const { error, data } = await client.next();
      const code = error?.['code'];
      const isRead = error === undefined || code === 'VAL_NOT_OBJECT';
      if (wanted.ok === null ? code === 'INT_UNEXPECTED' : wanted.ok !== isRead) wrong.push(`${id} ${String(code)}`);
      if (data !== undefined && wanted.ok === true && JSON.stringify(data) !== JSON.stringify(wanted.out))
        wrong.push(`${id} ${JSON.stringify(data)}`);
    }
    expect(sent).to.be.greaterThan(150);
    expect(wrong).to.deep.equal([]);
  });
});
