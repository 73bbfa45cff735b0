/** The mode UPLOAD with a failing store: all files or none, and the log if they cannot be removed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFault, Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, PlanTools, UploadedFile } from '../../../contract/plan.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Storage } from '../../../plugins/storages/kind.js';
import upload from '../../../plugins/modes/upload/runtime.js';
import { createTestInvocation } from '../../support/invocation.js';
import { PNG_RED } from '../../support/pictures.js';

interface Trial {
  readonly kept: Set<string>;
  readonly reported: string[];
  readonly run: (files: number, lasting?: number) => Promise<unknown>;
  readonly end: (answered: boolean) => Promise<void>;
}

interface TrialOptions {
  readonly stuck: boolean;
  readonly action: object;
  readonly root: object;
  readonly discard: (keys: readonly string[]) => void;
}

const FAILS = createFault('STO_AWAY');

describe('UPLOAD with a store that fails', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    await writeFile(join(folder, 'a'), PNG_RED);
  });
  after(() => rm(folder, { recursive: true }));

  const file = (): UploadedFile => ({
    field: 'f',
    originalName: 'a.png',
    declaredType: 'image/png',
    size: PNG_RED.length,
    head: PNG_RED,
    path: join(folder, 'a'),
  });

  /** `failing`: which call of `put` fails; `stuck`: nothing can be removed. */
  function trial(
    failing: number,
    { stuck = false, action = {}, root = {}, discard }: Partial<TrialOptions> = {},
  ): Trial {
    const [kept, reported] = [new Set<string>(), [] as string[]];
    let calls = 0;
    const store: Storage = {
      put(key) {
        if (++calls === failing) return Promise.reject(FAILS);
        kept.add(key);
        return Promise.resolve();
      },
      url: (key) => `/files/${key}`,
      remove(keys) {
        if (stuck) return Promise.reject(FAILS);
        for (const key of keys) kept.delete(key);
        return Promise.resolve();
      },
      ...(discard && { removeInBackground: discard }),
    };
    const recordMessage = (_fields: object, message: string) => void reported.push(message);
    const context = {
      resolve: () => store,
      log: { debug: recordMessage, info: recordMessage, warn: recordMessage, error: recordMessage },
    } as unknown as RuntimeContext;
    const value: Record<string, Json> = {
      id: 1,
      mode: 'UPLOAD',
      uploads: { allowed_mimetypes: ['image/*'] },
      ...action,
    };
    const tools = { action: () => 0, outputs: () => null, root, value: () => () => '' } as unknown as PlanTools;
    const plan = (
      upload.create!(context) as { plan: (...place: unknown[]) => { execute(frame: Frame): unknown } }
    ).plan(value, '', tools);
    const held: ((answered: boolean) => void | Promise<void>)[] = [];
    return {
      kept,
      reported,
      async run(files, lasting = -1) {
        const invocation = createTestInvocation(
          {},
          { files: Array.from({ length: files }, file), onFinish: (work) => void held.push(work) },
        );
        return plan.execute({ invocation, committedTo: lasting } as unknown as Frame);
      },
      async end(answered) {
        for (const work of held) await work(answered);
      },
    };
  }

  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof Fault ? error.code : error),
    );

  for (const at of [1, 2, 3]) {
    it(`at file ${at} of three: removes all files`, async () => {
      const { run, end, kept } = trial(at);
      expect(await failure(run(3))).to.equal('STO_AWAY');
      expect(kept.size).to.equal(at - 1);
      await end(false);
      expect([...kept]).to.deep.equal([]);
    });
  }

  it('not at all: keeps all files when the request succeeds, none when it fails', async () => {
    const { run, end, kept } = trial(0);
    await run(2);
    await end(true);
    expect(kept.size).to.equal(2);
    await end(false);
    expect(kept.size).to.equal(0);
  });

  it('removes files if no work after the upload was done', async () => {
    const { run, end, kept } = trial(0);
    await run(2, 0);
    await end(false);
    expect(kept.size).to.equal(0);
  });

  it('keeps files that later work may refer to, and logs it', async () => {
    const { run, end, kept, reported } = trial(0);
    await run(2, 1);
    await end(false);
    expect(kept.size).to.equal(2);
    expect(reported.join()).to.contain('the files stay');
  });

  it('is logged if files cannot be removed', async () => {
    const { run, end, reported } = trial(2, { stuck: true });
    expect(await failure(run(2))).to.equal('STO_AWAY');
    await end(false);
    expect(reported.join()).to.contain('could not be removed');
  });

  it('leaves files that cannot be removed to a store that removes them later', async () => {
    const discarded: string[] = [];
    const { run, end, kept, reported } = trial(0, { stuck: true, discard: (keys) => void discarded.push(...keys) });
    await run(2);
    await end(false);
    expect(discarded).to.have.members([...kept]);
    expect(reported).to.deep.equal([]);
  });

  it('computes a colour only if it can be returned', async () => {
    const looks = async (action: object, root: object): Promise<boolean> => {
      const [stored] = (await trial(0, { action, root }).run(1)) as readonly { dominant_color: string | null }[];
      return stored?.dominant_color === '#ff0000';
    };
    expect(await looks({}, {}), 'everything is answered').to.equal(true);
    expect(await looks({ returnables: ['url'] }, {})).to.equal(false);
    expect(await looks({}, { returnables: ['url'] })).to.equal(false);
    expect(await looks({ returnables: ['url', 'dominant_color'] }, {})).to.equal(true);
    expect(await looks({}, { returnables: ['0.dominant_color'] })).to.equal(true);
    const parameters = ['dominant_color'];
    expect(await looks({}, { returnables: ['id'], actionables: [{ sql_query: { parameters } }] })).to.equal(true);
    expect(
      await looks({ extract_response_for: [{ extract: 'self_', for: 'all' }], returnables: ['url'] }, {}),
    ).to.equal(true);
  });
});
