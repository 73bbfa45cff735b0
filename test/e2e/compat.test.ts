/**
 * Definitions of a real application, written for another system, served unchanged under its profile on both databases. A
 * row of the table is a call and what its client expects; skipped by name where the definitions are not beside the
 * repository.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Slot } from '../../kernel/contract/slot.js';
import { builtinRegistry } from '../support/fixtures.js';
import { DATABASES, startKernel, type TestKernel } from '../support/kernel.js';
import { querying, ROOT } from '../support/project.js';

const FOLDER = join(ROOT, '..', 'shared', 'compat', 'soforotto');
const ENV = {
  JWT_SECRET_KEY: 'a-key-of-at-least-thirty-two-bytes!',
  ANTHROPIC_API_KEY: 'key',
  LOWKEY_AI_SYSTEM_PROMPT: 'Listen.',
};

/** Full-text search is left out of the models while no plugin knows it; everything else stands as it was written. */
const asServed = (text: string): string => {
  const { fields = {} } = builtinRegistry().schema('field-type:String', Slot.MODEL_FIELD) ?? {};
  return Object.hasOwn(fields, 'fts') ? text : text.replaceAll(/"fts": true,?/g, '');
};

/** As their authors wrote them, in the folders of the original. */
const definitions = (): Record<string, string> =>
  Object.fromEntries(
    ['apis', 'models'].flatMap((folder) =>
      readdirSync(join(FOLDER, folder)).map((file) => [
        `definitions/${folder}/${file}`,
        asServed(readFileSync(join(FOLDER, folder, file), 'utf8')),
      ]),
    ),
  );

/** Notes 1 to 6 of one week; the even ones are approved. */
const SEED = querying(
  'seed',
  `INSERT INTO _inquiry (id, name, email, services, message, status, wall_status, reactions, created_at, updated_at)
   SELECT 'note-' || i, 'Ada', 'ada@example.com', '["listening"]'::jsonb, 'I feel number ' || i || ' and lonely', 'new',
          CASE WHEN i % 2 = 0 THEN 'approved' ELSE 'pending' END, '{"same":0,"strength":0,"not_alone":0}'::jsonb,
          '2026-01-05T10:00:00Z'::timestamptz + i * interval '1 minute', now()
   FROM generate_series(1, 6) AS i`,
);

interface Call {
  readonly path: string;
  readonly body: object;
  /** What the call needs beside its body, such as a token from another one. */
  readonly headers?: (kernel: TestKernel) => Promise<Record<string, string>>;
  readonly status: number;
  /** Of the member `data`, or of the problem where the status is none of success. */
  readonly judge: (data: unknown) => void;
}

const NOTE = ['id', 'services', 'message', 'reactions', 'created_at'];

const CALLS: readonly Call[] = [
  {
    path: 'wall-list',
    body: {},
    status: 200,
    judge: (data) => {
      expect(data).to.be.an('array').with.length(3);
      for (const row of data as object[]) expect(row).to.have.all.keys(NOTE);
      expect(data).to.have.nested.property('0.id', 'note-6');
      expect(data).to.have.nested.property('0.services', '["listening"]');
    },
  },
  {
    path: 'echo-find',
    body: { message: 'number 4' },
    status: 200,
    judge: (data) => {
      expect(data).to.have.all.keys(...NOTE, 'rank');
      expect(data).to.include({ id: 'note-4', message: 'I feel number 4 and lonely' });
      expect(data).to.have.property('rank').that.is.a('number');
    },
  },
  { path: 'echo-find-01', body: { message: 'unheard' }, status: 200, judge: (data) => expect(data).to.equal(null) },
  {
    path: 'echo-find',
    body: { message: '' },
    status: 422,
    judge: (problem) => expect(problem).to.include({ code: 'VAL_PAYLOAD' }),
  },
  {
    path: 'weather-trends',
    body: {},
    status: 200,
    judge: (data) => expect(data).to.deep.equal({ week: '2026-01-05', tag: 'listening', count: 6 }),
  },
];

for (const { name, make } of DATABASES) {
  describe(`definitions of another system (${name})`, () => {
    let kernel: TestKernel | undefined;
    before(async function () {
      this.timeout(60_000);
      if (!existsSync(FOLDER)) return this.skip();
      const database = await make();
      if ('skip' in database) return this.skip();
      kernel = await startKernel({
        files: { ...definitions(), 'definitions/seed.json': SEED },
        config: { profile: 'sub0', connections: database.connections },
        env: { ...ENV, ...database.env },
      });
      const seeded = await kernel.post('/seed', {});
      expect(seeded.status, seeded.text).to.equal(200);
    });
    after(() => kernel?.close());

    for (const { path, body, headers, status, judge } of CALLS) {
      it(`POST /${path} ${JSON.stringify(body)} is ${status}`, async () => {
        if (kernel === undefined) throw new Error('the kernel is not running');
        const answer = await kernel.post(`/${path}`, body, { headers: (await headers?.(kernel)) ?? {} });
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.body).to.include({ success: status < 300 });
        expect(answer.body['message']).to.be.a('string');
        judge(status < 300 ? answer.body['data'] : answer.body);
      });
    }
  });
}
