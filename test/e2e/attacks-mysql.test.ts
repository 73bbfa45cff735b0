/**
 * Text that MySQL would read as a number, at places whose type the statement does not declare: a row of another number
 * is never found, changed or removed by it.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { skipTest } from '../support/skip.js';

const WHERE: Readonly<Record<string, string>> = {
  call: 'COALESCE(pin, 0) = $1',
  reversed: '$1 = pin',
  among: 'pin IN ($1, $2)',
  between: 'pin BETWEEN $1 AND $2',
  brackets: '(pin) = ($1)',
  choice: 'CASE pin WHEN $1 THEN TRUE ELSE FALSE END',
  otherwise: 'pin = COALESCE($1, $2)',
  length: 'LENGTH(name) - 3 = $1',
  inner: 'number = $1 AND owner IN (SELECT number FROM words)',
  counted: '(SELECT COUNT(*) FROM words WHERE number = name) = $1',
  pair: '(pin, number) = ($1, $2)',
  lower: 'LOWER(name) = LOWER($1)',
};
const ids = Object.keys(WHERE);

const FILES = {
  'definitions/models/_vault.json': {
    number: { type: 'Number', primary_key: true },
    pin: { type: 'Number' },
    owner: { type: 'String', max_length: 40 },
    name: { type: 'String', max_length: 40 },
  },
  'definitions/models/_word.json': {
    number: { type: 'String', primary_key: true, max_length: 40 },
    name: { type: 'String', max_length: 40 },
  },
  'definitions/resources.json': [
    ...ids.map((id) => ({
      id,
      resource: id,
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          result: 'many',
          sql_query: {
            query: `SELECT number FROM vaults WHERE ${WHERE[id] ?? ''}`,
            parameters: WHERE[id]?.includes('$2') === true ? ['$PAYLOAD.v', '$PAYLOAD.v'] : ['$PAYLOAD.v'],
          },
        },
      ],
    })),
    {
      id: 'remove',
      resource: 'remove',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'DELETE FROM vaults WHERE COALESCE(pin, 0) = $1', parameters: ['$PAYLOAD.v'] },
        },
      ],
    },
    {
      id: 'change',
      resource: 'change',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: {
            query: 'UPDATE vaults SET pin = 1 WHERE COALESCE(pin, 0) = $1 RETURNING number',
            parameters: ['$PAYLOAD.v'],
          },
        },
      ],
    },
    ...['word', 'vault'].map((id) => ({
      id,
      resource: id,
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: {
            query:
              id === 'word'
                ? "INSERT INTO words (number, name) VALUES ('ann', 'ann')"
                : "INSERT INTO vaults (number, pin, owner, name) VALUES (0, 0, 'ann', 'ann')",
          },
        },
      ],
    })),
  ],
};

const TEXTS = ['x', '', '0x', '0 OR 1', '0e', "'", '0/*!1*/', '\\', '#', '--x', '?', 'false', '٠'];

for (const flavour of ['mariadb', 'mysql'] as const) {
  describe(`attacks on statements, object parameters as in CVE-2024-21508 (${flavour})`, () => {
    let started: TestKernel | undefined;
    const kernel = (): TestKernel => {
      if (started === undefined) throw new Error('the kernel is not running');
      return started;
    };
    before(async function () {
      const server = await startMysql(flavour);
      if ('skip' in server) return skipTest(this, server.skip);
      started = await startKernel({ files: FILES, env: { MYSQL_URL: await createMysqlDatabase(flavour) } });
      for (const id of ['word', 'vault']) expect((await kernel().post(`/${id}`, {})).status).to.equal(200);
    });
    after(() => started?.close());

    for (const id of ids) {
      it(`treat no text as the number 0 (${WHERE[id] ?? ''})`, async () => {
        for (const v of TEXTS) {
          const { status, body, text } = await kernel().post(`/${id}`, { v });
          expect(status, `${JSON.stringify(v)}: ${text}`).to.be.oneOf([200, 422]);
          if (status === 200) expect(body, JSON.stringify(v)).to.deep.equal([]);
        }
      });
    }

    it('change or remove no row', async () => {
      for (const v of TEXTS) {
        for (const id of ['remove', 'change']) {
          const { status, text } = await kernel().post(`/${id}`, { v });
          expect(status, `${id} ${JSON.stringify(v)}: ${text}`).to.be.oneOf([200, 422]);
        }
        const { body } = await kernel().post('/call', { v: 0 });
        expect(body, JSON.stringify(v)).to.deep.equal([{ number: 0 }]);
      }
    });

    it('still compare text without a number as text', async () => {
      expect((await kernel().post('/lower', { v: 'ANN' })).body).to.deep.equal([{ number: 0 }]);
      expect((await kernel().post('/call', { v: '0' })).body).to.deep.equal([{ number: 0 }]);
    });
  });
}
