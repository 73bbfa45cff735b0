/** Statements read by a database while `lintel check` runs: what it refuses is an error at its place, what it cannot know is none. */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { defineQueryResource, createTempProject, type Files, type TempProject } from '../support/project.js';

const KEY = { type: 'Number', primary_key: true, auto_increment: true };
const MODELS = {
  'definitions/_user.json': {
    id: KEY,
    email: { type: 'String', unique: true },
    age: { type: 'Number' },
    seen: { type: 'DateTime', optional: true },
    tags: { type: 'JSON_ARRAY', property_type: 'String', optional: true },
  },
  'definitions/_post.json': {
    id: KEY,
    user_id: { type: 'Number', foreign_key: { of: '_user', key: 'id' } },
    title: { type: 'String' },
  },
};

interface Row {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly file: string;
  readonly range: { readonly start: Position; readonly end: Position };
  readonly fix: { readonly text: string } | null;
}
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A statement, the text at the place of its error, and words of the message; the values that are bound; the fix. */
type Refused = readonly [query: string, at: string, words: string, values?: readonly unknown[], fix?: string];

const REFUSED: Readonly<Record<string, Refused>> = {
  'an unknown function': ['SELECT lowerr(email) AS e FROM users', 'lowerr', 'Did you mean "lower"?', [], 'lower'],
  'a function that has nothing near': [
    'SELECT slug_of(email) AS e FROM users',
    'slug_of',
    'Define your own function in `migrations/*.sql`',
  ],
  'wrong arguments': ['SELECT lower(age, 2) AS l FROM users', 'lower', 'There is `lower(anymultirange)`, '],
  'an operator of two types': ['SELECT id FROM users WHERE email = age', '=', 'operator does not exist: text = bigint'],
  'text for a bigint': ["SELECT id FROM users WHERE id = 'abc'", "'abc'", 'for type bigint: "abc"'],
  'a value that is text for a bigint': [
    'SELECT id FROM users WHERE id = abs($1::bigint)',
    '{"literal":"abc"}',
    'for type bigint: "abc"',
    [{ literal: 'abc' }],
  ],
  'a value that is no interval': [
    'SELECT id FROM users WHERE seen > now() - $1::interval',
    '{"literal":"7 dyas"}',
    'for type interval',
    [{ literal: '7 dyas' }],
  ],
  'a fraction as a limit': ['SELECT id FROM users LIMIT $1', '1.5', 'for type bigint: "1.5"', [1.5]],
  'a missing GROUP BY': ['SELECT email, count(*) AS n FROM users', 'email', 'Add it to GROUP BY'],
  'an aggregate in WHERE': ['SELECT id FROM users WHERE count(*) > 1', 'count', 'stand in HAVING'],
  'an ambiguous column': [
    'SELECT id FROM users JOIN posts ON users.id = user_id',
    'id',
    'is ambiguous. Write the table',
  ],
  'a UNION of two types': ['SELECT id FROM users UNION SELECT email FROM users', 'email', 'cannot be matched'],
  'a CASE of two types': ['SELECT CASE WHEN age > 1 THEN email ELSE id END AS c FROM users', 'email', 'CASE types'],
  'a default of another type': ["SELECT coalesce(age, 'none') AS y FROM users", "'none'", 'for type bigint: "none"'],
  'a column of a function': ['SELECT x FROM generate_series(1, 3) x WHERE y > 1', 'y', 'column "y" does not exist'],
  'an order that is not selected': ['SELECT id FROM users ORDER BY 5', '5', 'position 5 is not in select list'],
  'a window without OVER': ['SELECT row_number() AS r FROM users', 'row_number', 'requires an OVER clause'],
  'a type that is unknown': ['SELECT seen::datee AS d FROM users', '::datee', 'type "datee" does not exist'],
  'one parameter of two types': ['SELECT id FROM users WHERE id = $1 AND email = $1', '=', 'text = bigint', [5]],
  'a lock on groups': [
    'SELECT email FROM users GROUP BY email FOR UPDATE',
    '"SELECT email FROM users GROUP BY email FOR UPDATE"',
    'FOR UPDATE is not allowed with GROUP BY',
  ],
  'a place behind escapes, accents and signs of two units': [
    "SELECT 'é\"😀\\' AS q,\n\tlowerr(email) AS e FROM users",
    'lowerr',
    'function lowerr(text) does not exist',
    [],
    'lower',
  ],
};

/** Also found without a database: one row for the cause, which is certain. */
const RAISED: Readonly<Record<string, readonly [query: string, code: string]>> = {
  'an unknown column': ['SELECT emial FROM users', 'SQL_COLUMN'],
  'an unknown column of the order': ['SELECT email FROM users ORDER BY emial', 'SQL_COLUMN'],
  'an unknown alias': ['SELECT u.email FROM users', 'SQL_ALIAS'],
  'a parameter without a type': ["SELECT id FROM users WHERE email LIKE concat('%', $1, '%')", 'SQL_UNTYPED'],
  'a function of another database': ['SELECT ifnull(email, email) AS e FROM users', 'SQL_FUNCTION'],
};

const SOUND: readonly (readonly [query: string, values?: readonly unknown[]])[] = [
  ['SELECT id FROM users WHERE tags @> $1 AND id = ANY($2::bigint[])', [['a'], [1, 2]]],
  [
    'SELECT u.id, count(p.id) AS n FROM users u LEFT JOIN posts p ON p.user_id = u.id GROUP BY u.id HAVING count(*) > 0',
  ],
  ['WITH old AS (DELETE FROM posts WHERE user_id = $1 RETURNING *) SELECT count(*) AS n FROM old', [1]],
  [
    'INSERT INTO users (email, age) VALUES ($1, 1) ON CONFLICT (email) DO UPDATE SET age = excluded.age',
    [{ literal: 'a' }],
  ],
  ['SELECT table_name FROM information_schema.tables'],
  ['SELECT id FROM no_model_has_it WHERE no_column = any_name(1)'],
  ['SELECT id FROM elsewhere.things'],
  ['UPDATE posts SET title = $1 WHERE id = $2', [{ literal: 'x' }, 1]],
  ['SELECT g AS n FROM generate_series(1, 3) g LIMIT $1', [2]],
  ["SELECT id FROM users WHERE seen BETWEEN $1 AND now() - interval '1 day'", [{ literal: '2026-01-01T00:00:00Z' }]],
];

const OF_EXTENSIONS: Readonly<Record<string, readonly [query: string]>> = {
  'of an extension': ["SELECT crypt('a', gen_salt('bf')) AS c"],
  'beside an operator': ['SELECT id FROM users WHERE email % title_of(email)'],
};

const createFiles = (queries: Readonly<Record<string, readonly [string, (readonly unknown[] | undefined)?]>>): Files =>
  Object.fromEntries(
    Object.entries(queries).map(([name, [query, values]], i) => [
      `definitions/${name.replaceAll(' ', '-')}.json`,
      JSON.stringify(defineQueryResource(`r${i}`, query, values ?? [], { result: 'many', returnables: ['id'] })),
    ]),
  );

describe('lintel check: statements are read by a database', function () {
  const sound = Object.fromEntries(SOUND.map(([query, values], i) => [`sound ${i}`, [query, values] as const]));
  const raised = Object.fromEntries(
    Object.entries(RAISED).map(([name, [query]]) => [
      name,
      [query, query.includes('$1') ? [{ literal: 'a' }] : []] as const,
    ]),
  );
  const refused = Object.fromEntries(
    Object.entries(REFUSED).map(([name, [query, , , values]]) => [name, [query, values] as const]),
  );
  const files = createFiles({ ...sound, ...raised, ...refused, ...OF_EXTENSIONS });
  let project: TempProject;
  let rows: readonly Row[] = [];

  async function check({ folder }: TempProject, env: Record<string, string> = {}): Promise<readonly Row[]> {
    const { stdout } = await runCli(['check', '--format', 'json'], { cwd: folder, env });
    return JSON.parse(stdout) as Row[];
  }
  const filterErrors = (all: readonly Row[], name: string): readonly Row[] =>
    all.filter(
      ({ file, severity }) => severity === 'error' && file === `definitions/${name.replaceAll(' ', '-')}.json`,
    );

  before(async () => {
    project = await createTempProject({ ...MODELS, ...files });
    rows = await check(project);
  });
  after(() => project?.dispose());

  for (const [name, [, at, words, , fix]] of Object.entries(REFUSED)) {
    it(`${name} is rejected at its place`, () => {
      const [row, ...others] = filterErrors(rows, name);
      expect(others).to.deep.equal([]);
      expect(row?.code).to.equal('SQL_REFUSED');
      expect(row?.message).to.contain(words);
      const { start, end } = row!.range;
      expect(String(files[row!.file]).slice(start.character, end.character)).to.equal(at);
      expect(row?.fix?.text).to.equal(fix);
    });
  }

  for (const [name, [, code]] of Object.entries(RAISED)) {
    it(`${name} is one row, and certain`, () => {
      expect(filterErrors(rows, name).map((row) => row.code)).to.deep.equal([code]);
    });
  }

  it('reports nothing for valid statements and for tables without a model', () => {
    expect(Object.keys(sound).flatMap((name) => filterErrors(rows, name))).to.deep.equal([]);
  });

  it('reports nothing for extensions that a server may have, and connects to none', async () => {
    expect(filterErrors(rows, 'of an extension').map(({ code }) => code)).to.deep.equal(['SQL_REFUSED']);
    const few = await createTempProject({ ...MODELS, ...createFiles(OF_EXTENSIONS) });
    const remote = await check(few, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await few.dispose();
    expect(filterErrors(remote, 'of an extension')).to.deep.equal([]);
    expect(filterErrors(remote, 'beside an operator').map(({ message }) => message)[0]).to.contain('title_of');
  });
});
