/**
 * Attempts to make requests interfere where the compiler decides on locks: each a race with separate rows
 * (`$PAYLOAD.g`) and a condition that holds in every serial order. Data only; nothing is sent here.
 */
import type { SqlName } from './databases.js';
import { apart, chain, need, query, type Found, type SerialAttack } from './serial-attack-files.js';

const G = '$PAYLOAD.g';
const ULID = '$GENERATOR.ULID';
const READ = 'SELECT n FROM _cell WHERE id = $1';
const WRITE = 'UPDATE _cell SET n = $2::bigint + 1 WHERE id = $1';
const SEAT = 'INSERT INTO _seat (id, room, n) VALUES ($1, $2, $3)';
const COUNT = 'SELECT count(*) AS taken FROM _seat WHERE room = $1';
const FULL = 'INSERT INTO _seat (id, room, n) SELECT $1, $2, 1 WHERE $3::bigint < 1';
const POSTGRES: readonly SqlName[] = ['pglite', 'postgres'];
const twice = (path: string): readonly string[] => [path, path];
const sameSeats =
  (...wanted: readonly number[]) =>
  ({ seats }: Found): boolean =>
    seats.join() === wanted.join();
const cellIs =
  (wanted: number, name = '') =>
  ({ cells }: Found): boolean =>
    cells[name] === wanted;

export const SERIAL_ATTACKS: readonly SerialAttack[] = [
  {
    name: 'a row that is not there, with another statement in its place',
    paths: twice('first-visit'),
    resources: [
      chain(
        'first-visit',
        query(1, READ, ['$PAYLOAD.new']),
        query(2, 'SELECT 0 AS n', []),
        query(
          3,
          'INSERT INTO _cell (id, n) VALUES ($1, $2::bigint + 1) ON CONFLICT (id) DO UPDATE SET n = excluded.n',
          ['$PAYLOAD.new', 'was'],
          need([1, 2], { n: 'was' }),
        ),
      ),
    ],
    holds: cellIs(2, 'new'),
  },
  {
    name: 'three that read in a ring what the next one writes',
    paths: ['ring-a', 'ring-b', 'ring-c'],
    resources: ['ab', 'bc', 'ca'].map((pair) =>
      chain(
        `ring-${pair[0]}`,
        query(1, COUNT, [`$PAYLOAD.${pair[0]}`]),
        query(2, SEAT, [ULID, `$PAYLOAD.${pair[1]}`, 'taken'], need([1], { taken: 'taken' })),
      ),
    ),
    holds: ({ seats }) => seats.length === 3 && seats.some((n) => n > 0),
  },
  {
    name: 'one that locks a row and one that counts',
    paths: ['lock-write', 'count-write'],
    resources: [
      chain('lock-write', query(1, READ, [G]), query(2, SEAT, [ULID, G, 'was'], need([1], { n: 'was' }))),
      chain(
        'count-write',
        query(1, COUNT, [G]),
        query(2, 'UPDATE _cell SET n = $2::bigint + 10 WHERE id = $1', [G, 'taken'], need([1], { taken: 'taken' })),
      ),
    ],
    holds: ({ cells, seats }) => ['0,11', '10,10'].includes(`${seats.join()},${cells['']}`),
  },
  {
    name: 'two single statements that read each the table of the other',
    paths: ['close-room', 'enter-room'],
    resources: [
      chain(
        'close-room',
        query(1, 'UPDATE _cell SET n = 1 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM _seat WHERE room = $1)', [G]),
      ),
      chain(
        'enter-room',
        query(1, 'INSERT INTO _seat (id, room, n) SELECT $1, id, 1 FROM _cell WHERE id = $2 AND n = 0', [ULID, G]),
      ),
    ],
    holds: ({ cells, seats }) => (cells[''] ?? 0) + seats.length === 1,
  },
  ...[
    ['the next number in one statement', '(SELECT coalesce(max(n), 0) + 1 FROM _seat WHERE room = $2)'],
    ['the next number by an aggregate alone', 'coalesce(max(n), 0) + 1 FROM _seat WHERE room = $2'],
  ].map(([name = '', next = ''], at) => ({
    name,
    paths: twice(`number-${at}`),
    resources: [chain(`number-${at}`, query(1, `INSERT INTO _seat (id, room, n) SELECT $1, $2, ${next}`, [ULID, G]))],
    holds: sameSeats(1, 2),
  })),
  {
    name: 'the last one stays, counted without those deleted softly',
    paths: ['leave-one', 'leave-two'],
    seats: [1, 2],
    resources: ['one', 'two'].map((name, at) =>
      chain(
        `leave-${name}`,
        query(1, 'SELECT count(*) AS there FROM _seat WHERE room = $1 AND deleted_at IS NULL', [G]),
        {
          ...query(2, '', []),
          sql_query: {
            query: `DELETE FROM _seat WHERE room = $1 AND n = ${at + 1} AND $2::bigint > 1`,
            parameters: [G, 'there'],
            soft_delete: true,
          },
          ...need([1], { there: 'there' }),
        },
      ),
    ),
    holds: ({ seats }) => seats.length === 1,
  },
  {
    name: 'a known event stops the second request',
    paths: twice('event'),
    resources: [
      chain(
        'event',
        query(1, 'INSERT INTO _event (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id', [G], {
          ...{ must_return_value: true, on_empty: { stop: true } },
        }),
        query(2, 'UPDATE _cell SET n = n + 1 WHERE id = $1', [G]),
      ),
    ],
    holds: cellIs(1),
  },
  {
    name: 'a dependency of a resource that commits each statement',
    paths: twice('across-apart'),
    resources: [
      apart('apart-reader', query(1, READ, [G], { no_op: true }), query(2, READ, [G])),
      chain('across-apart', query(1, WRITE, [G, 'was'], need([1], { n: 'was' }, 'apart-reader'))),
    ],
    holds: cellIs(2),
  },
  {
    name: 'a count that a view hides',
    paths: twice('viewed'),
    resources: [
      chain(
        'viewed',
        query(1, 'SELECT coalesce(sum(taken), 0) AS taken FROM room_count WHERE room = $1', [G]),
        query(2, FULL, [ULID, G, 'taken'], need([1], { taken: 'taken' })),
      ),
    ],
    holds: ({ seats }) => seats.length === 1,
  },
  {
    name: 'the next one that no other holds',
    paths: twice('skip'),
    seats: [0, 0],
    resources: [
      chain(
        'skip',
        query(1, 'SELECT id FROM _seat WHERE room = $1 AND n = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED', [G], {
          must_return_value: true,
        }),
        query(2, 'UPDATE _seat SET n = n + 1 WHERE id = $1', ['it'], need([1], { id: 'it' })),
      ),
    ],
    holds: sameSeats(1, 1),
  },
  {
    name: 'a shared lock before the write',
    paths: twice('shared'),
    resources: [
      chain('shared', query(1, `${READ} FOR SHARE`, [G]), query(2, WRITE, [G, 'was'], need([1], { n: 'was' }))),
    ],
    holds: cellIs(2),
  },
  {
    name: 'a row by another key than the one it is written by',
    paths: twice('by-mail'),
    resources: [
      chain(
        'by-mail',
        query(1, 'SELECT id, n FROM _cell WHERE mail = $1', [G]),
        query(2, WRITE, ['it', 'was'], need([1], { n: 'was', id: 'it' })),
      ),
    ],
    holds: cellIs(2),
  },
  {
    name: 'a row that is updated and then copied',
    paths: twice('copied'),
    resources: [
      chain(
        'copied',
        query(1, 'UPDATE _cell SET n = n + 1 WHERE id = $1', [G]),
        query(2, READ, [G]),
        query(3, SEAT, [ULID, G, 'now'], need([2], { n: 'now' })),
      ),
    ],
    holds: sameSeats(1, 2),
  },
  {
    name: 'one row twice in a list',
    paths: twice('list-add'),
    resources: [
      chain(
        'list-add',
        {
          ...query(1, '', []),
          sql_query: {
            query: 'UPDATE _cell SET n = n + $2::bigint WHERE id = $1',
            parameters: [G, 'x'],
            multi: 'items',
          },
        },
        query(2, READ, [G]),
        query(3, SEAT, [ULID, G, 'now'], need([2], { n: 'now' })),
      ),
    ],
    holds: ({ cells, seats }) => cells[''] === 6 && seats.join() === '3,6',
  },
  {
    name: 'a key that is changed while it is counted on',
    paths: ['move', 'raise'],
    rejects: true,
    resources: [
      chain('move', query(1, 'UPDATE _cell SET id = $2 WHERE id = $1', [G, '$PAYLOAD.new'])),
      chain(
        'raise',
        query(1, READ, [G], { must_return_value: true }),
        query(2, WRITE, [G, 'was'], need([1], { n: 'was' })),
      ),
    ],
    holds: ({ cells, statuses }) => cells['new'] === (statuses[1] === 200 ? 1 : 0),
  },
  {
    name: 'a row that is created unless it exists, then read and written back',
    paths: twice('made-then-added'),
    resources: [
      chain(
        'made-then-added',
        query(1, 'INSERT INTO _cell (id, n) VALUES ($1, 0) ON CONFLICT (id) DO NOTHING', ['$PAYLOAD.new']),
        query(2, READ, ['$PAYLOAD.new']),
        query(3, WRITE, ['$PAYLOAD.new', 'was'], need([2], { n: 'was' })),
      ),
    ],
    holds: cellIs(2, 'new'),
  },
  {
    name: 'a price that is only paid once',
    paths: twice('pay'),
    rejects: true,
    seats: [],
    resources: [
      chain(
        'pay',
        query(1, SEAT, [ULID, G, 5]),
        query(2, 'UPDATE _cell SET n = n - 1 WHERE id = $1 AND n >= 0 RETURNING n', [G], { must_return_value: true }),
      ),
    ],
    holds: ({ cells, seats, statuses }) =>
      cells[''] === -1 && seats.join() === '5' && [...statuses].sort().join() === '200,404',
  },
  {
    name: 'a report that sees what no order has',
    paths: ['deposit', 'withdraw', 'report'],
    resources: [
      chain('deposit', query(1, 'UPDATE _cell SET n = n + 20 WHERE id = $1', ['$PAYLOAD.b'])),
      chain(
        'withdraw',
        query(1, 'SELECT sum(n) AS whole FROM _cell WHERE id IN ($1, $2)', [G, '$PAYLOAD.b']),
        query(
          2,
          'UPDATE _cell SET n = n - 10 - CASE WHEN $2::bigint < 10 THEN 1 ELSE 0 END WHERE id = $1',
          [G, 'whole'],
          need([1], { whole: 'whole' }),
        ),
      ),
      chain(
        'report',
        query(1, 'SELECT id, n FROM _cell WHERE id IN ($1, $2) ORDER BY id', [G, '$PAYLOAD.b'], { result: 'many' }),
      ),
    ],
    holds({ cells, results }) {
      const seen = (results['report'] as readonly { readonly n: number }[]).map(({ n }) => Number(n)).join();
      return cells[''] === -10 ? !['-10,0', '-11,0'].includes(seen) : cells[''] === -11 && seen !== '0,20';
    },
  },
  {
    name: 'a statement that reads in WITH what it writes',
    only: POSTGRES,
    paths: twice('with'),
    resources: [
      chain(
        'with',
        query(
          1,
          'WITH was AS (SELECT n FROM _cell WHERE id = $1) UPDATE _cell SET n = (SELECT n FROM was) + 1 WHERE id = $1',
          [G],
        ),
      ),
    ],
    holds: cellIs(2),
  },
  {
    name: 'an update from a sub-query',
    only: POSTGRES,
    paths: twice('from'),
    resources: [
      chain(
        'from',
        query(1, 'UPDATE _cell SET n = s.n + 1 FROM (SELECT id, n FROM _cell WHERE id = $1) s WHERE _cell.id = s.id', [
          G,
        ]),
      ),
    ],
    holds: cellIs(2),
  },
  {
    name: 'a value that another actionable returns in between',
    paths: twice('between'),
    resources: [
      chain(
        'between',
        query(1, READ, [G]),
        { id: 2, mode: 'RETURN', value: { was: '$PAYLOAD.read' }, ...need([1], { n: 'read' }) },
        query(3, WRITE, [G, 'was'], need([2], { was: 'was' })),
      ),
    ],
    holds: cellIs(2),
  },
  {
    name: 'a flag that is turned',
    paths: twice('turn'),
    resources: [
      chain(
        'turn',
        query(1, READ, [G]),
        query(2, 'UPDATE _cell SET n = 1 - $2::bigint WHERE id = $1', [G, 'was'], need([1], { n: 'was' })),
      ),
    ],
    holds: cellIs(0),
  },
];
