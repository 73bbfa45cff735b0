/** Names of results that a secret column can be read from. */
import { expect } from 'chai';
import { addRenamed } from '../../../language/analysis/renamed-columns.js';
import { sql as language } from '../../../plugins/queries/sql/language.light.js';

const ROWS: readonly (readonly [sql: string, names: string])[] = [
  ['SELECT password FROM users', ''],
  ['SELECT password AS pw FROM users', 'pw'],
  ['SELECT u.password pw, id FROM users u', 'pw'],
  ['SELECT password::text AS pw FROM users', 'pw'],
  ['SELECT CAST(password AS text) AS pw FROM users', 'pw'],
  ['SELECT CAST(password AS text) FROM users', ''],
  ['WITH a AS (SELECT password AS b FROM users) SELECT b AS c FROM a', 'b c'],
  ['SELECT upper(password) AS pw FROM users', 'pw'],
  ['SELECT upper(password) FROM users', 'upper'],
  ['SELECT id, substr(u.password, 1, 7) AS start FROM users u', 'start'],
  ['SELECT md5(lower(password)::text) sum FROM users', 'sum'],
  ["SELECT 'x' || password AS pw FROM users", 'pw'],
  ["SELECT password || '' || concat('a', 'b') AS pw FROM users", 'pw'],
  ["SELECT coalesce(u.password, '') || ':' || u.id::text AS pw FROM users u", 'pw'],
  ["SELECT string_agg(password, ',') FILTER (WHERE id > 1) AS pw FROM users", 'pw'],
  ['SELECT id, (SELECT upper(password) FROM users LIMIT 1) AS pw FROM notes', 'pw upper'],
  ['SELECT a.id FROM (SELECT id, password FROM users) a', ''],
  ['SELECT id FROM notes WHERE text IN (SELECT password FROM users) ORDER BY id', ''],
  ['INSERT INTO users (password) VALUES ($1) RETURNING upper(password) AS pw', 'pw'],
  ['INSERT INTO users (password) VALUES ($1) RETURNING upper(password)', 'upper'],
  ['SELECT count(password) AS n, length(password) AS l FROM users', ''],
  ['SELECT password = $1 AS same, password IS NOT NULL AS given FROM users', ''],
  ["SELECT coalesce(password, '') = '' AS empty FROM users", ''],
  ['SELECT id FROM users WHERE lower(password) = $1 ORDER BY lower(password), id', ''],
  ['SELECT id FROM users GROUP BY id, upper(password)', ''],
];

/** Databases name an unnamed expression after its text or its parts. */
const isText = (sql: string, name: string): boolean =>
  name === '?column?' || (sql.toLowerCase().includes(name.toLowerCase()) && /[ (]/.test(name));

describe('secret columns', () => {
  for (const [text, names] of ROWS) {
    it(text, () => {
      const found = addRenamed(['password'], [{ language, scan: language.read(text) }]);
      expect(
        [...found]
          .slice(1)
          .filter((name) => !isText(text, name))
          .join(' '),
      ).to.equal(names);
    });
  }
});
