/**
 * Reload in a running kernel, on real files: valid changes are applied completely, invalid ones never remove an
 * endpoint.
 */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { Loose } from '../support/client.js';
import { describeOnBothDatabases, startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';

const A = 'definitions/a.json';
const B = 'definitions/b.json';

describe('reload', () => {
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

  it('adds, changes and deletes resources', async () => {
    await start();
    await write(B, defineReturnResource('b', 'b1'));
    expect((await reload()).applied).to.equal(true);
    expect([await answer('/a'), await answer('/b')]).to.deep.equal(['a1', 'b1']);
    await write(A, defineReturnResource('a', 'a2', { resource: 'moved' }));
    await kernel.project.remove(B);
    expect((await reload()).applied).to.equal(true);
    expect([await answer('/a'), await answer('/moved'), await answer('/b')]).to.deep.equal(['a2', 'a2', 404]);
    await write(A, defineReturnResource('other', 'a3', { resource: 'moved' }));
    await reload();
    expect([await answer('/a'), await answer('/moved'), await answer('/other')]).to.deep.equal([404, 'a3', 'a3']);
  });

  it('keeps the last valid plan of an invalid resource, logs this, and reloads the valid ones', async () => {
    await start();
    const before = kernel.kernel.plans().hash;
    await write(A, '{ "id": "a", "resource": "a", "actionables": [');
    await write(B, defineReturnResource('b', 'b1'));
    const broken = await reload();
    expect(broken.applied).to.equal(true);
    expect(broken.problems.map(({ severity }) => severity)).to.include('error');
    expect([await answer('/a'), await answer('/b')]).to.deep.equal(['a1', 'b1']);
    expect(kernel.kernel.degraded()).to.equal(true);
    expect(await degraded()).to.equal(true);
    await write(A, defineReturnResource('a', 'a2'));
    await reload();
    expect(await answer('/a')).to.equal('a2');
    expect(kernel.kernel.degraded()).to.equal(false);
    expect(await degraded()).to.equal(false);
    expect(kernel.kernel.plans().hash).not.to.equal(before);
  });

  it('keeps serving a resource with a wrong mode, a duplicate id, or an invalid dependency', async () => {
    const chained = {
      id: 'c',
      resource: 'c',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: '$PAYLOAD.x',
          depends_on: [{ resource_id: 'a', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'x' }] }],
        },
      ],
    };
    await start({ files: { [A]: defineReturnResource('a', 'a1'), [B]: chained } });
    for (const broken of [
      { ...defineReturnResource('a', 'a2'), actionables: [{ id: 1, mode: 'RETRUN', value: 'a2' }] },
      [defineReturnResource('a', 'a2'), defineReturnResource('a', 'a3')],
      defineReturnResource('a', '$ENV.NOT_SET'),
    ]) {
      await write(A, broken);
      await reload();
      expect([await answer('/a'), await answer('/c')]).to.deep.equal(['a1', 'a1']);
    }
    await write(A, defineReturnResource('a', 'a4'));
    await reload();
    expect([await answer('/a'), await answer('/c')]).to.deep.equal(['a4', 'a4']);
  });

  it('returns 503 for a resource that was never valid until it is fixed', async () => {
    await start();
    await write(B, '{"resource": "b"}');
    await reload();
    expect(await answer('/b')).to.equal(503);
    await write(B, defineReturnResource('b', 'b1'));
    await reload();
    expect(await answer('/b')).to.equal('b1');
  });

  it('waits for a model that was never valid', async () => {
    await start();
    const rows = { query: 'SELECT id FROM things', parameters: [] };
    await write(B, {
      id: 'b',
      resource: 'b',
      actionables: [{ id: 1, mode: 'QUERY', sql_query: rows }],
      returnables: ['id'],
    });
    await write('definitions/_thing.json', { id: { type: 'Strin' } });
    const { problems } = await reload();
    expect(problems.map(({ code, file }) => [code, file.endsWith('_thing.json')])).to.deep.equal([
      ['DEF_UNKNOWN_PLUGIN', true],
    ]);
    expect(await answer('/b')).to.equal(503);
  });

  it('removes a resource once all files are valid, if another file was invalid', async () => {
    await start({ files: { [A]: defineReturnResource('a', 'a1'), [B]: defineReturnResource('b', 'b1') } });
    await write(A, '{');
    await kernel.project.remove(B);
    await reload();
    expect(await answer('/a')).to.equal('a1');
    await write(A, defineReturnResource('a', 'a2'));
    await reload();
    expect([await answer('/a'), await answer('/b')]).to.deep.equal(['a2', 404]);
  });

  it('ends with the newest files if reloads overlap', async () => {
    await start();
    const reloads: Promise<unknown>[] = [];
    for (let n = 1; n <= 20; n++) {
      await write(A, defineReturnResource('a', n));
      reloads.push(reload());
    }
    await Promise.all(reloads);
    expect(await answer('/a')).to.equal(20);
  });

  it('keeps the plan of a request in flight', async () => {
    const module = pathToFileURL(join(PLUGIN_FIXTURES, 'witness', 'recorder', 'runtime.js')).href;
    const recorder = (await import(module)) as { release(): void; holding(): Promise<void> };
    const two = (first: unknown, second: unknown): object => ({
      id: 'a',
      resource: 'a',
      actionables: [
        { id: 1, mode: 'RETURN', value: { first } },
        { id: 2, mode: 'RETURN', value: { second } },
      ],
      returnables: ['first', 'second'],
    });
    await start({ files: { [A]: two(1, 1) }, config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'witness')] } });
    const held = recorder.holding();
    const old = kernel.post('/a', { hold: 'release' });
    await held;
    await write(A, two(2, 2));
    await reload();
    expect(await answer('/a')).to.deep.equal({ first: 2, second: 2 });
    const again = recorder.holding();
    recorder.release();
    await again;
    recorder.release();
    expect((await old).body).to.deep.equal({ first: 1, second: 1 });
  });

  it('never replaces the running set by an invalid one with `refuse`', async () => {
    await start({ onProblem: 'refuse' });
    await write(A, defineReturnResource('a', 'a2'));
    await write(B, '{"resource": "b"}');
    const rejected = await reload();
    expect(rejected.applied).to.equal(false);
    expect(await answer('/a')).to.equal('a1');
    expect(await degraded()).to.equal(true);
    await kernel.project.remove(B);
    expect((await reload()).applied).to.equal(true);
    expect([await answer('/a'), await degraded()]).to.deep.equal(['a2', false]);
  });

  it('imports a plugin that a reload is the first to use', async () => {
    await start({ config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'short-code')] } });
    await write(A, defineReturnResource('a', '$GENERATOR.SHORTCODE'));
    expect((await reload()).applied).to.equal(true);
    expect(await answer('/a')).to.match(/^[0-9a-z]{8}$/);
  });

  it('opens a plugin again that could not open before', async () => {
    await start({ config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'second-try')] } });
    await write(A, defineReturnResource('a', '$GENERATOR.SECONDTRY'));
    const failed = await reload();
    expect(failed.applied).to.equal(false);
    expect((failed.failure as BootError).code).to.equal('PLG_OPEN');
    expect([await answer('/a'), await degraded()]).to.deep.equal(['a1', true]);
    expect((await reload()).applied).to.equal(true);
    expect([await answer('/a'), await degraded()]).to.deep.equal(['opened', false]);
  });

  it('logs each time that a plugin with hooks cannot join a running kernel, and keeps the old plans', async () => {
    await start({ config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'broken', 'late-register')] } });
    await write(A, defineReturnResource('a', '$GENERATOR.LATEREGISTER'));
    for (let i = 0; i < 2; i++) {
      const { applied, failure } = await reload();
      expect(applied).to.equal(false);
      expect(failure).to.be.instanceOf(BootError);
      expect((failure as BootError).code).to.equal('KRN_SEALED');
      expect(await answer('/a')).to.equal('a1');
    }
  });

  it('ignores files that cannot be read: a broken link, bytes that are not text', async () => {
    await start({ prepare: (folder) => symlink('/nowhere/at/all.json', join(folder, 'definitions/link.json')) });
    expect(await answer('/a')).to.equal('a1');
    await writeFile(join(kernel.project.folder, B), Buffer.from([0x7b, 0xff, 0x7d]));
    const { problems } = await reload();
    expect(problems.map(({ code }) => code)).to.deep.equal(['SRC_UNREADABLE']);
    expect(await answer('/a')).to.equal('a1');
  });

  it('opens nothing for a change after the close', async () => {
    await start();
    const closing = kernel.kernel.close('test');
    await write(B, defineReturnResource('b', '$GENERATOR.ULID'));
    expect((await kernel.kernel.reload()).applied).to.equal(false);
    await closing;
    expect([...kernel.kernel.plans().byId.keys()]).not.to.include('b');
  });

  it('serves an empty set', async () => {
    await start();
    await kernel.project.remove(A);
    expect((await reload()).applied).to.equal(true);
    expect([await answer('/a'), await degraded()]).to.deep.equal([404, false]);
  });
});

const ITEM = { id: { type: 'Number', primary_key: true, auto_increment: true }, name: { type: 'String' } };

describeOnBothDatabases(
  'reload with tables',
  { files: { [A]: defineReturnResource('a', 'a1') }, onProblem: 'skip' },
  (kernel, database) => {
    const M = 'definitions/_item.json';
    const adding = (...columns: string[]): object =>
      defineQueryResource(
        'add',
        `INSERT INTO items (${columns.join(', ')}) VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
        columns,
      );

    it('connects, creates the table of a new model, and then its new column', async () => {
      await kernel().project.write(M, ITEM);
      await kernel().project.write(B, adding('name'));
      const { applied, failure } = await kernel().kernel.reload();
      expect([applied, failure]).to.deep.equal([true, undefined]);
      expect((await kernel().post('/add', { name: 'x' })).body).to.deep.equal({ id: 1, name: 'x' });
      await kernel().project.write(M, { ...ITEM, code: { type: 'String', optional: true } });
      await kernel().project.write(B, adding('name', 'code'));
      await kernel().kernel.reload();
      expect((await kernel().post('/add', { name: 'y', code: 'c' })).body).to.deep.equal({
        id: 2,
        name: 'y',
        code: 'c',
      });
    });

    it('rejects a change that the data forbid, and keeps the old plans', async () => {
      await kernel().post('/add', { name: 'y', code: 'c' });
      await kernel().project.write(M, { ...ITEM, code: { type: 'String', optional: true, unique: true } });
      const { applied, failure } = await kernel().kernel.reload();
      expect(applied).to.equal(false);
      expect((failure as BootError).code).to.equal('PLG_OPEN');
      expect((await kernel().post('/add', { name: 'z', code: 'c' })).status).to.equal(200);
      expect(kernel().kernel.degraded()).to.equal(true);
      await kernel().project.write(M, { ...ITEM, code: { type: 'String', optional: true } });
      expect((await kernel().kernel.reload()).applied).to.equal(true);
      expect(kernel().kernel.degraded()).to.equal(false);
    });

    it('neither removes nor changes the resources of an invalid model', async () => {
      await kernel().project.write(M, { ...ITEM, name: { type: 'Strin' } });
      await kernel().kernel.reload();
      expect((await kernel().post('/add', { name: 'still' })).body).to.include({ name: 'still' });
      expect((await kernel().post('/a', {})).body).to.equal('a1');
    });

    if (database === 'postgres') {
      it('keeps the definition of a running statement', async () => {
        const sleeping = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        await kernel().project.write('definitions/slow.json', [
          defineQueryResource('slow', 'SELECT 1 AS n, pg_sleep(1)::text AS s'),
          defineQueryResource('sleeping', sleeping),
        ]);
        await kernel().kernel.reload();
        const old = kernel().post('/slow', {});
        while ((await kernel().post('/sleeping', {})).body['n'] !== 1);
        await kernel().project.write('definitions/slow.json', defineQueryResource('slow', 'SELECT 2 AS n'));
        await kernel().kernel.reload();
        expect((await kernel().post('/slow', {})).body).to.deep.equal({ n: 2 });
        expect((await old).body).to.include({ n: 1 });
      });
    }
  },
);
