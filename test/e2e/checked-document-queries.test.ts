/** Document queries that a MongoDB server explains before they are served: a rejection is an error at its position. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { runCli } from '../support/cli.js';
import { defineDocumentResource } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { createTempProject } from '../support/project.js';
import { skipWithout } from '../support/skip.js';

const PAPER = {
  id: { type: 'String', primary_key: true },
  n: { type: 'Number' },
  at: { type: 'DateTime', optional: true },
};
const query = (action: string, rest: object): object => ({ collection: '_paper', action, ...rest });
const pipeline = (...stages: readonly object[]): object => query('AGGREGATE', { pipeline: stages });

/** The text at the position of the error, a part of its message, and the query; the checker reports none of these. */
const REJECTED: readonly (readonly [at: string, words: string, query: object])[] = [
  ['"_paper"', 'Bounds string must', pipeline({ $densify: { field: 'n', range: { step: 1, bounds: 'ful' } } })],
  ['"$dateTrunc"', 'unknown time unit', pipeline({ $set: { d: { $dateTrunc: { date: '$at', unit: 'wek' } } } })],
  ['"$bucket"', 'must be sorted', pipeline({ $bucket: { groupBy: '$n', boundaries: [5, 1] } })],
  ['"$project"', 'exclusion', pipeline({ $project: { n: 1, at: 0 } })],
  ['"$mod"', 'malformed mod', query('FETCH', { filter_predicate: { n: { $mod: [1] } } })],
];

const VALID: readonly object[] = [
  query('FETCH', {
    filter_predicate: { n: { $gte: '$PAYLOAD.n' }, at: '$PAYLOAD.at' },
    sort: { n: 1 },
    limit: '$PAYLOAD.limit',
  }),
  query('FETCH', { filter_predicate: { n: { $in: '$PAYLOAD.list' } }, projection: { n: 1 } }),
  query('COUNT', { filter_predicate: { id: { $regex: '$PAYLOAD.text' } } }),
  query('UPDATE', { filter_predicate: { id: '$PAYLOAD.id' }, update_predicate: { $inc: { n: '$PAYLOAD.n' } } }),
  query('UPDATE', { filter_predicate: { id: '$PAYLOAD.id' }, update_predicate: { $set: { n: 1 } }, upsert: true }),
  query('DELETE', { filter_predicate: { id: '$PAYLOAD.id' } }),
  query('INSERT', { parameters: ['id', 'n'] }),
  pipeline({ $match: { n: '$PAYLOAD.n' } }, { $group: { _id: '$id', most: { $max: '$n' } } }, { $limit: 5 }),
  pipeline({ $densify: { field: 'n', range: { step: 1, bounds: 'full' } } }),
];

describe('document queries checked by the embedded store on no documents', () => {
  it('reports a query that the store cannot run as an error of the check, and no other query', async () => {
    const list = (prefix: string, queries: readonly object[]): object[] =>
      queries.map((one, i) => defineDocumentResource(`${prefix}${i}`, one, { returnables: ['id'] }));
    const wrong = [
      query('FETCH', { filter_predicate: { $jsonSchema: { required: ['n'] } } }),
      query('FETCH', { filter_predicate: { n: { $mod: [1] } } }),
      query('FETCH', { filter_predicate: { id: '$PAYLOAD.id', n: { $mod: [1] } } }),
      query('COUNT', { filter_predicate: { id: { $regex: '[' } } }),
      pipeline({ $project: { n: 1, at: 0 } }),
      pipeline({ $fill: { output: { n: { method: 'linear' } } } }),
    ];
    const valid = [
      ...VALID,
      pipeline({ $sample: { size: 2 } }),
      pipeline({ $bucketAuto: { groupBy: '$n', buckets: 2 } }),
      query('FETCH', { filter_predicate: { $text: { $search: '$PAYLOAD.text' } } }),
    ];
    const project = await createTempProject({
      'definitions/_paper.json': PAPER,
      'definitions/wrong.json': list('wrong', wrong),
      'definitions/sound.json': list('sound', valid),
    });
    try {
      const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder });
      const rows = (JSON.parse(stdout) as Problem[]).filter(({ severity }) => severity === 'error');
      expect(
        rows.map(({ code, file }) => [code, file]),
        stdout,
      ).to.deep.equal(wrong.map(() => ['DOC_REJECTED', 'definitions/wrong.json']));
      expect(new Set(rows.map(({ range }) => range.start.line)).size).to.equal(wrong.length);
    } finally {
      await project.dispose();
    }
  });
});

describe('document queries that MongoDB explains', function () {
  let kernel: TestKernel | undefined;
  let url = '';
  const listDefinitions = (prefix: string, queries: readonly object[]): object[] =>
    queries.map((one, i) => defineDocumentResource(`${prefix}${i}`, one, { returnables: ['id'] }));

  before(async function () {
    await skipWithout(this, startMongo());
    url = await createMongoDatabase();
    kernel = await startKernel({
      files: {
        'definitions/_paper.json': PAPER,
        'definitions/wrong.json': listDefinitions(
          'wrong',
          REJECTED.map(([, , one]) => one),
        ),
        'definitions/sound.json': listDefinitions('sound', VALID),
      },
      config: { documents: { main: { use: 'mongodb', url } } },
      onProblem: 'skip',
      statementChecks: 'stores',
    });
  });
  after(() => kernel?.close());

  it('reports a query that the server rejects as an error at startup, and no other query', async () => {
    const started = kernel as TestKernel;
    const all = started.kernel.problems().filter(({ severity }) => severity === 'error');
    const text = await readFile(join(started.project.folder, 'definitions/wrong.json'), 'utf8');
    const lines = text.split('\n');
    const found = all.map(({ code, file, range: { start, end }, message }) => ({
      ...{ code, file, message },
      at: (lines[start.line] ?? '').slice(start.character, end.character),
    }));
    expect(
      found.map(({ code, file, at }) => [code, file, at]),
      JSON.stringify(found, null, 1),
    ).to.deep.equal(REJECTED.map(([at]) => ['DOC_REJECTED', 'definitions/wrong.json', at]));
    for (const [i, [, words]] of REJECTED.entries()) expect(found[i]?.message).to.contain(words);
    expect((await started.post('/wrong0', {})).status).to.equal(503);
    expect((await started.post('/sound2', { text: 'a' })).status).to.equal(200);
  });

  it('reports the same errors in `check --database`', async () => {
    const { folder } = (kernel as TestKernel).project;
    const { code, stdout } = await runCli(['check', '--database', '--format', 'json'], { cwd: folder, env: {} });
    const codes = (JSON.parse(stdout) as readonly { code: string }[]).map((one) => one.code);
    expect(code).to.equal(1);
    expect(codes.filter((one) => one === 'DOC_REJECTED')).to.have.length(REJECTED.length);
  });
});
