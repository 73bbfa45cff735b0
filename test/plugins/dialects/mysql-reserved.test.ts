/** The words that editors quote for MySQL and MariaDB, compared with the keywords of the two servers. */
import { expect } from 'chai';
import mysql from 'mysql2/promise';
import { quoteIfNeeded } from '../../../plugins/queries/sql/text/quotes.js';
import { RESERVED } from '../../../plugins/dialects/mysql/reserved.light.js';
import { createMysqlDatabase, startMysql, type MysqlFlavour } from '../../support/mysql.js';
import { skipWithout } from '../../support/skip.js';

/** Reserved by MySQL 8.0, and free again in the versions that may run here. */
const EARLIER = ['master_bind'];

const FLAVOURS: readonly MysqlFlavour[] = ['mysql', 'mariadb'];

describe('words that MySQL and MariaDB reserve', function () {
  const connections = new Map<MysqlFlavour, mysql.Connection>();

  before(async function () {
    for (const flavour of FLAVOURS) {
      await skipWithout(this, startMysql(flavour));
      connections.set(flavour, await mysql.createConnection({ uri: await createMysqlDatabase(flavour) }));
    }
  });
  after(async () => {
    for (const connection of connections.values()) await connection.end();
  });

  const runQuery = async (flavour: MysqlFlavour, sql: string): Promise<mysql.RowDataPacket[]> => {
    const [rows] = await connections.get(flavour)!.query<mysql.RowDataPacket[]>(sql);
    return rows;
  };
  const isRejected = (flavour: MysqlFlavour, word: string): Promise<boolean> =>
    runQuery(flavour, `SELECT 1 AS ${word}`).then(
      () => false,
      () => true,
    );
  async function listRejected(flavour: MysqlFlavour, words: readonly string[]): Promise<Set<string>> {
    const rejected = new Set<string>();
    for (const word of words) if (await isRejected(flavour, word)) rejected.add(word);
    return rejected;
  }

  it('are each reserved by one of the two', async () => {
    const rejected = await Promise.all(FLAVOURS.map((flavour) => listRejected(flavour, RESERVED)));
    const free = RESERVED.filter((word) => !rejected.some((one) => one.has(word)));
    expect(free.filter((word) => !EARLIER.includes(word))).to.deep.equal([]);
  });

  for (const flavour of FLAVOURS) {
    it(`quote each word of ${flavour} that is not a name without quotes`, async () => {
      const rows = await runQuery(flavour, 'SELECT LOWER(word) AS word FROM information_schema.keywords');
      const words = rows.map(({ word }) => String(word)).filter((word) => /^[a-z_][a-z0-9_]*$/.test(word));
      expect(words.length).to.be.greaterThan(300);
      const rejected = await listRejected(flavour, words);
      expect(rejected.size).to.be.greaterThan(200);
      const known = new Set(RESERVED);
      expect([...rejected].filter((word) => quoteIfNeeded(word, known) === word)).to.deep.equal([]);
    });
  }
});
