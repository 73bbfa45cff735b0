/**
 * Requests that try to interfere, on every SQL database with default settings: their effects and responses equal those
 * of some serial order. Each attack aims at one decision of the compiler about locks and isolation.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnEach, SQL, type Database, type SqlName } from '../support/databases.js';
import { createSerialFiles, type Found, type SerialAttack } from '../support/serial-attack-files.js';
import { SERIAL_ATTACKS } from '../support/serial-attacks.js';
import { countRuns } from '../support/sample.js';

const RUNS = countRuns('races', 5, 100);
const AT_ONCE = 4;

const listAttacks = (database: SqlName): readonly SerialAttack[] =>
  SERIAL_ATTACKS.filter(({ only }) => only === undefined || only.includes(database));
/** In an embedded database requests run one at a time. */
const countGroups = (database: SqlName): number => (database === 'pglite' ? 1 : RUNS);
const nameGroup = (attack: SerialAttack, n: number): string => `${SERIAL_ATTACKS.indexOf(attack)}-${n}`;
const listGroups = (attack: SerialAttack, database: SqlName): string[] =>
  Array.from({ length: countGroups(database) }, (_, n) => nameGroup(attack, n));

/** Deadlines have tests of their own. */
const patient = SQL.map((database): Database<SqlName> => ({
  ...database,
  config: (url) => database.config(url, { pool_wait: 50, statement_timeout: 50 }),
}));
const createOptions = (database: SqlName): { readonly files: ReturnType<typeof createSerialFiles> } => ({
  files: createSerialFiles(
    listAttacks(database).flatMap((attack) => listGroups(attack, database).map((g) => ({ attack, g }))),
  ),
});

describeOnEach('attacks on the serial order', patient, createOptions, (kernel, database) => {
  before(async () => {
    const { status, text } = await kernel().post('/begin', {});
    expect(status, text).to.equal(200);
  });

  async function attackGroup({ paths }: SerialAttack, g: string): Promise<Pick<Found, 'results' | 'statuses'>> {
    const names = Object.fromEntries(['a', 'b', 'c', 'new'].map((name) => [name, `${g} ${name}`]));
    const answers = await Promise.all(
      paths.map((path) => kernel().post(`/${path}`, { g, ...names, items: [{ x: 1 }, { x: 2 }] })),
    );
    return {
      results: Object.fromEntries(paths.map((path, at) => [path, answers[at]?.body])),
      statuses: answers.map(({ status }) => status),
    };
  }

  for (const attack of listAttacks(database))
    it(attack.name, async () => {
      const waiting = listGroups(attack, database);
      const done = new Map<string, Pick<Found, 'results' | 'statuses'>>();
      const work = async (): Promise<void> => {
        for (let g = waiting.pop(); g !== undefined; g = waiting.pop()) done.set(g, await attackGroup(attack, g));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const like = { like: `${SERIAL_ATTACKS.indexOf(attack)}-%` };
      const [cells, seats] = await Promise.all(
        ['/cells', '/seats'].map(async (path) => (await kernel().post<readonly Loose[]>(path, like)).body),
      );
      const broken = [...done].flatMap(([g, { results, statuses }]) => {
        const found: Found = {
          cells: Object.fromEntries(
            cells!.flatMap(({ id, n }) =>
              String(id) === g || String(id).startsWith(`${g} `) ? [[String(id).slice(g.length + 1), Number(n)]] : [],
            ),
          ),
          seats: seats!.flatMap(({ room, n }) =>
            String(room) === g || String(room).startsWith(`${g} `) ? [Number(n)] : [],
          ),
          ...{ results, statuses },
        };
        const isAnswered = attack.rejects ?? statuses.every((status) => status === 200);
        return isAnswered && attack.holds(found) ? [] : [{ g, ...found }];
      });
      expect(broken).to.deep.equal([]);
    });
});
