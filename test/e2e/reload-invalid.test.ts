/** Reload under load with invalid files of every kind: no request fails, and the last valid set stays. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { countRuns, sampleCases } from '../support/sample.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

const A = 'definitions/a.json';
const B = 'definitions/b.json';

describe('reload of invalid files', () => {
  let kernel: TestKernel;
  const start = async (options: Parameters<typeof startKernel>[0] = {}): Promise<void> => {
    kernel = await startKernel({ files: { [A]: defineReturnResource('a', 'a1') }, onProblem: 'skip', ...options });
  };
  afterEach(() => kernel.close());

  const write = (name: string, content: unknown): Promise<void> => kernel.project.write(name, content);
  const reload = () => kernel.kernel.reload();
  const answer = async (path: string): Promise<unknown> => {
    const { status, body } = await kernel.post<unknown>(path, {});
    return status === 200 ? body : status;
  };
  const degraded = async (): Promise<unknown> => (await kernel.request<Loose>('GET', '/status')).body['degraded'];

  it('fails no request for a file written piece by piece', async function () {
    await start({ files: { [A]: [defineReturnResource('a', 1), defineReturnResource('b', 1)] } });
    let done = false;
    let requests = 0;
    const wrong: unknown[] = [];
    const client = async (): Promise<void> => {
      while (!done) {
        for (const path of ['/a', '/b']) {
          const got = await answer(path);
          requests++;
          if (got !== 1 && got !== 2) wrong.push([path, got]);
        }
      }
    };
    const clients = Array.from({ length: 2 }, client);
    const bytes = Buffer.from(JSON.stringify([defineReturnResource('a', 2), defineReturnResource('b', 2)]));
    const lengths = Array.from({ length: bytes.length }, (_, length) => length);
    for (const length of [...sampleCases('edits', 'lengths', lengths, 30), bytes.length]) {
      await writeFile(join(kernel.project.folder, A), bytes.subarray(0, length));
      await reload();
    }
    done = true;
    await Promise.all(clients);
    expect(wrong).to.deep.equal([]);
    expect(requests).to.be.greaterThan(20);
    expect([await answer('/a'), await answer('/b')]).to.deep.equal([2, 2]);
    expect(kernel.kernel.degraded()).to.equal(false);
  });

  it('fails no request for errors in files, which are logged; the last valid plans remain', async function () {
    const valid = [defineReturnResource('a', 1), defineReturnResource('b', 1)];
    const cyclic = {
      ...defineReturnResource('a', 2),
      actionables: [
        { id: 1, mode: 'RETURN', value: 2, depends_on: [{ resource_id: 'a', action_ids: [2] }] },
        { id: 2, mode: 'RETURN', value: 2, depends_on: [{ resource_id: 'a', action_ids: [1] }] },
      ],
    };
    const issues: readonly [string, unknown][] = [
      ['an unknown mode', [{ ...defineReturnResource('a', 2), actionables: [{ id: 1, mode: 'RETRUN' }] }, valid[1]]],
      ['half of a file', JSON.stringify(valid).slice(0, 40)],
      ['the same id twice', [...valid, defineReturnResource('a', 2)]],
      ['a cycle', [cyclic, valid[1]]],
      ['no file', null],
    ];
    const least = countRuns('edits', 300, 5000);
    for (const onProblem of ['refuse', 'skip'] as const) {
      await start({ files: { [A]: valid, [B]: defineReturnResource('c', 1) }, onProblem });
      let [done, requests] = [false, 0];
      const wrong: unknown[] = [];
      const clients = Array.from({ length: countRuns('edits', 3, 8) }, async () => {
        while (!done || requests < least) {
          for (const path of ['/a', '/b', '/c']) {
            const got = await answer(path);
            requests++;
            if (got !== 1) wrong.push([path, got]);
          }
        }
      });
      for (const [what, content] of issues) {
        // A file that is gone is no mistake by itself: another one is.
        if (content === null) await kernel.project.remove(A);
        else await write(A, content);
        if (content === null) await write(B, '{');
        const { problems } = await reload();
        expect(
          problems.map(({ severity }) => severity),
          what,
        ).to.include('error');
        expect(await degraded(), what).to.equal(true);
      }
      await write(A, valid);
      await write(B, defineReturnResource('c', 1));
      expect((await reload()).problems).to.deep.equal([]);
      done = true;
      await Promise.all(clients);
      expect(wrong).to.deep.equal([]);
      expect(requests).to.be.at.least(least);
      expect(await degraded()).to.equal(false);
      if (onProblem === 'refuse') await kernel.close();
    }
  });

  it('keeps the value of a removed variable, and never uses the text "undefined" for an unset one', async () => {
    const defineTokenResource = (id: string, variable: string): object => ({
      ...defineReturnResource(id, '$PROTECTED.id'),
      tokenize: { type: 'JWT', encryption_key: `$ENV.${variable}` },
      protected: { extract_claims: ['id'] },
    });
    await start({ files: { [A]: defineTokenResource('a', 'WORD'), '.env': `WORD=${KEY}\n` }, onProblem: 'refuse' });
    const init = createBearerInit(await signJwt({ id: 'ada' }));
    const postForBody = async (path: string): Promise<unknown> => (await kernel.post<unknown>(path, {}, init)).body;
    await kernel.project.remove('.env');
    await write(B, defineTokenResource('b', 'WORD'));
    expect((await reload()).applied).to.equal(true);
    expect([await postForBody('/a'), await postForBody('/b')]).to.deep.equal(['ada', 'ada']);
    await write(B, defineTokenResource('b', 'OTHER_WORD'));
    const { applied, problems } = await reload();
    expect([applied, problems.map(({ code }) => code)]).to.deep.equal([false, ['ENV_MISSING']]);
    expect(await postForBody('/b')).to.equal('ada');
  });
});
