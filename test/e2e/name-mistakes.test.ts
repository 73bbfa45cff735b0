/**
 * Names and accessors that can only be wrong: such a resource is not served, and the problem states the position and
 * the fix. Each of them returned 200 with the word, null, or 422 at every request before it was an error.
 */
import { expect } from 'chai';
import type { Problem } from '../../contract/problem.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';

const field = (...names: string[]): Loose => ({
  payload_validation: [{ field: Object.fromEntries(names.map((name) => [name, { type: 'STRING' }])) }],
});
const ILIKE = "SELECT 1 AS n WHERE 'a part of it' ILIKE '%' || $1 || '%'";
const chain = (rules: Loose, ...names: string[]): object => ({
  id: 'chain',
  resource: 'chain',
  actionables: [
    { id: 1, mode: 'QUERY', sql_query: { query: 'SELECT 7 AS balance, 8 AS other' } },
    {
      id: 2,
      mode: 'QUERY',
      ...rules,
      depends_on: [
        {
          resource_id: 'self',
          action_ids: [1],
          extract_response_for: names.map((extract) => ({ extract, for: 'balance' })),
        },
      ],
      sql_query: { query: 'SELECT $1::int AS n', parameters: ['balance'] },
    },
  ],
});

interface Mistake {
  readonly title: string;
  readonly resource: object;
  readonly code: string;
  /** The marked text of the file. */
  readonly at: string;
  /** Titles of the preferred fix and of the others. */
  readonly fixes: readonly string[];
}

const LITERAL = 'write it as a value: { "literal":';
const MISTAKES: readonly Mistake[] = [
  {
    title: 'a bare name inside a pattern that no rule declares',
    resource: defineQueryResource('r', ILIKE, ['part'], field('other')),
    code: 'LNK_NO_SOURCE',
    at: '"part"',
    fixes: ['declare the field "part"', `${LITERAL} "part" }`],
  },
  {
    title: 'text that cannot be a name',
    resource: defineQueryResource('r', 'SELECT $1::text AS n', ['joined the circle']),
    code: 'LNK_NO_SOURCE',
    at: '"joined the circle"',
    fixes: [`${LITERAL} "joined the circle" }`],
  },
  {
    title: 'a name with a trailing blank',
    resource: defineQueryResource('r', 'SELECT $1::text AS n', ['email '], field('email')),
    code: 'LNK_NO_SOURCE',
    at: '"email "',
    fixes: ['change to "email"', `${LITERAL} "email " }`],
  },
  {
    title: 'an accessor in small letters among the values of a statement',
    resource: defineQueryResource('r', 'SELECT $1::text AS n', ['$payload.email'], field('email')),
    code: 'LNK_NO_SOURCE',
    at: '"$payload.email"',
    fixes: ['change to "$PAYLOAD.email"', `${LITERAL} "$payload.email" }`],
  },
  {
    title: 'an accessor in small letters in a value',
    resource: defineReturnResource('r', { email: '$payload.email' }, {}, field('email')),
    code: 'TPL_VALUE',
    at: '$payload.email',
    fixes: ['change to $PAYLOAD.email'],
  },
  {
    title: 'a header whose name includes the dash before the next value',
    resource: defineReturnResource('r', '$HEADER.x-tenant-$PAYLOAD.id', {}, field('id')),
    code: 'ACC_SIGN',
    at: '$HEADER.x-tenant-',
    fixes: ['change to "$HEADER.x-tenant:"'],
  },
  {
    title: 'a suffix after a value',
    resource: defineReturnResource('r', 'exports/$PAYLOAD.id.json', {}, field('id')),
    code: 'ACC_NOTHING_INSIDE',
    at: '$PAYLOAD.id.json',
    fixes: [],
  },
  {
    title: 'an index in brackets',
    resource: defineReturnResource(
      'r',
      '$PAYLOAD.l[0].x',
      {},
      { payload_validation: [{ field: { l: { type: 'ARRAY' } } }] },
    ),
    code: 'ACC_INDEX',
    at: '$PAYLOAD.l[0].x',
    fixes: ['change to $PAYLOAD.l.0.x'],
  },
  {
    title: 'a rule for a name that a dependency sets',
    resource: chain(field('balance'), 'balance'),
    code: 'LNK_RULE_GIVEN',
    at: '"balance"',
    fixes: [],
  },
  {
    title: 'two values under one name',
    resource: chain({}, 'balance', 'other'),
    code: 'LNK_GIVEN_TWICE',
    at: '"balance"',
    fixes: [],
  },
  {
    title: 'the name of a result in a limit that is counted before anything runs',
    resource: {
      ...chain({}, 'balance'),
      rate_limit: { limit: 5, identifier: '$PAYLOAD.balance', expires_after: 60 },
    },
    code: 'LNK_BEFORE_ALL',
    at: '$PAYLOAD.balance',
    fixes: [],
  },
];

const numberResource = ({ resource }: Mistake, i: number): object => ({ ...resource, id: `r${i}`, resource: `r${i}` });

describe('names that can only be wrong', () => {
  let kernel!: TestKernel;

  before(async () => {
    kernel = await startKernel({
      files: {
        ...Object.fromEntries(MISTAKES.map((mistake, i) => [`definitions/r${i}.json`, numberResource(mistake, i)])),
        'definitions/_thing.json': { name: { type: 'String' } },
        'definitions/words.json': defineQueryResource('words', 'SELECT $1::text AS word, $2::text AS name', [
          'word',
          'name',
        ]),
      },
      config: { connections: { main: { use: 'pglite', path: 'memory://' } } },
      onProblem: 'skip',
    });
  });
  after(() => (kernel as TestKernel | undefined)?.close());

  const problemsIn = (file: string): readonly Problem[] =>
    kernel.kernel.problems().filter((problem) => problem.file === file);

  for (const [i, { title, code, at, fixes }] of MISTAKES.entries()) {
    it(`are reported: ${title}`, async () => {
      const found = problemsIn(`definitions/r${i}.json`).find((problem) => problem.code === code);
      expect(found, JSON.stringify(problemsIn(`definitions/r${i}.json`))).not.to.equal(undefined);
      if (found === undefined) return;
      const lines = kernel.kernel.analysis().documents.get(found.file)?.text.split('\n') ?? [];
      const { start, end } = found.range;
      expect(lines[start.line]?.slice(start.character, end.character)).to.equal(at);
      const offered = [found.fix, ...(found.others ?? [])].flatMap((fix) => fix?.title ?? []);
      expect(offered).to.deep.equal(fixes);
      const { status } = await kernel.post(`/r${i}`, { part: 'part', id: '1', l: [{ x: 1 }], email: 'e' });
      expect(status).to.equal(found.severity === 'error' ? 503 : 200);
    });
  }

  it('resolve a bare name in the same way when another file is deleted', async () => {
    const postWords = async () => (await kernel.post('/words', { word: 'sent', name: 'other' })).body;
    expect(await postWords()).to.deep.equal({ word: 'sent', name: 'other' });
    await kernel.project.remove('definitions/_thing.json');
    await kernel.kernel.reload();
    expect(await postWords()).to.deep.equal({ word: 'sent', name: 'other' });
  });
});
