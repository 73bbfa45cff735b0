/** What `lintel mcp` reads of its input, and what it accepts as arguments. */
import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createMessageReader, MAX_MESSAGE } from '../../cli/mcp.js';
import { findArgumentError, TOOLS } from '../../cli/mcp/tools.js';

async function readLines(...chunks: readonly (string | Buffer)[]) {
  const answers = new PassThrough();
  const reader = createMessageReader(answers);
  let read = '';
  reader.on('data', (part: Buffer) => (read += part.toString('utf8')));
  for (const chunk of chunks) reader.write(chunk);
  reader.end();
  await finished(reader);
  const answered = String(answers.read() ?? '');
  const codes = [...answered.matchAll(/"code":(-\d+)/g)].map(([, code]) => Number(code));
  return { read, codes };
}

describe('messages of mcp', () => {
  it('are lines of JSON, however they are cut into chunks', async () => {
    const text = Buffer.from('{"a":"ö"}\n\n{"b":1}\n');
    const at = text.indexOf(0xc3) + 1;
    const { read, codes } = await readLines(text.subarray(0, at), text.subarray(at));
    expect([read, codes]).to.deep.equal(['{"a":"ö"}\n{"b":1}\n', []]);
  });

  it('are answered with an error if they are no JSON or too large, and those after them are read', async () => {
    const large = `"${'x'.repeat(MAX_MESSAGE)}"`;
    const { read, codes } = await readLines('{"a":\n', large.slice(0, 1000), large.slice(1000), '\n{"b":1}\n');
    expect([read, codes]).to.deep.equal(['{"b":1}\n', [-32_700, -32_600]]);
    const most = `"${'x'.repeat(MAX_MESSAGE - 2)}"`;
    expect((await readLines(most, '\n')).read).to.equal(`${most}\n`);
  });
});

describe('arguments of mcp', () => {
  const check = (name: string, given: unknown): string | null => {
    const tool = TOOLS.find((one) => one.name === name);
    return tool === undefined ? 'no tool' : findArgumentError(tool.schema, given);
  };

  it('are those of the tool, with the right types and sizes', () => {
    expect(check('schema', {})).to.equal(null);
    expect(check('check', { files: [{ file: 'a.json', text: '{}' }] })).to.equal(null);
    expect(check('schema', [])).to.equal('"arguments" must be an object.');
    expect(check('schema', { kind: 1 })).to.equal('"kind" must be text.');
    expect(check('schema', { kinds: 'mode' })).to.equal('"kinds" is no argument here; did you mean "kind".');
    expect(check('schema', JSON.parse('{"__proto__": "mode"}'))).to.contain('is no argument here');
    expect(check('plan', {})).to.equal('"resource" is missing.');
    expect(check('plan', { resource: 'x'.repeat(2000) })).to.equal('"resource" must have at most 1024 characters.');
    expect(check('check', { files: 'a.json' })).to.equal('"files" must be a list.');
    expect(check('check', { files: [{ file: 'a.json' }] })).to.equal('"text" is missing.');
    const many = Array.from({ length: 51 }, () => ({ file: 'a.json', text: '' }));
    expect(check('check', { files: many })).to.equal('"files" must have at most 50 entries.');
  });
});
