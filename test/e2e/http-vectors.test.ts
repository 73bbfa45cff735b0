/** The shared JSON vectors against the body reader, over real HTTP and as a function; skipped by name where they are absent. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import { parseJson } from '../../kernel/http/body.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource, vectorFile } from '../support/project.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

interface Case {
  readonly id: string;
  readonly content_type: string;
  readonly bytes: string;
  readonly expect: { readonly ok: boolean | null; readonly status?: readonly number[]; readonly out?: unknown };
}

const LIMITS = { body: 1_048_576, depth: 32, keys: 1000, array: 10_000 };

describe('JSON bodies against the shared vectors', () => {
  const file = vectorFile('json-body.jsonl');
  let cases: readonly Case[] = [];
  let kernel: TestKernel | undefined;
  before(async function () {
    if (file === null) return skipTest(this, NO_SHARED);
    cases = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Case);
    kernel = await startKernel({ files: { 'definitions/a.json': defineReturnResource('echo', { ok: true }) } });
  });
  after(() => kernel?.close());

  it('are accepted and rejected according to the vectors, over HTTP', async () => {
    expect(cases.length).to.be.greaterThan(280);
    const wrong: string[] = [];
    for (const { id, bytes, content_type, expect: wanted } of cases) {
      const body = new Uint8Array(Buffer.from(bytes, 'hex'));
      const answer = await kernel!.post('/echo', body, { headers: { 'content-type': content_type } });
      // Parsed, and then possibly rejected by the resource for not being an object.
      const read = answer.status === 200 || answer.body['code'] === 'VAL_NOT_OBJECT';
      const fits =
        wanted.ok === null ? answer.status < 500 : wanted.ok ? read : wanted.status?.includes(answer.status) === true;
      if (!fits) wrong.push(`${id}: ${answer.status} ${String(answer.body['code'])}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('contain the values of the vectors', () => {
    const wrong: string[] = [];
    for (const { id, bytes, expect: wanted } of cases) {
      if (wanted.ok !== true) continue;
      const value = parseJson(Buffer.from(bytes, 'hex'), LIMITS);
      if (JSON.stringify(value) !== JSON.stringify(wanted.out)) wrong.push(id);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('are rejected with a fault of the HTTP layer only', () => {
    for (const { id, bytes, expect: wanted } of cases) {
      if (wanted.ok !== false) continue;
      expect(() => parseJson(Buffer.from(bytes, 'hex'), LIMITS), id).to.throw(Fault);
    }
  });
});
