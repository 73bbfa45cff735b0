/** Parts of a set of attacks on the serial order: their form, the tables, and the rows of every group. Data only. */
import type { SqlName } from './databases.js';
import type { Files } from './project.js';

/** The final state of a group: numbers of cells by name, of seats sorted, and the results of the requests by path. */
export interface Found {
  readonly cells: Readonly<Record<string, number>>;
  readonly seats: readonly number[];
  readonly results: Readonly<Record<string, unknown>>;
  readonly statuses: readonly number[];
}
export interface SerialAttack {
  readonly name: string;
  readonly paths: readonly string[];
  readonly resources: readonly object[];
  readonly holds: (found: Found) => boolean;
  /** Databases in which its statements can be written. */
  readonly only?: readonly SqlName[];
  /** Seats that a group has at first: their numbers. */
  readonly seats?: readonly number[];
  /** Requests may be rejected. */
  readonly rejects?: true;
}

export const query = (id: number, text: string, parameters: readonly unknown[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
export const need = (ids: readonly number[], names: Readonly<Record<string, string>>, resource = 'self'): object => ({
  depends_on: [
    {
      resource_id: resource,
      action_ids: ids,
      extract_response_for: Object.entries(names).map(([extract, name]) => ({ extract, for: name })),
    },
  ],
});
export const chain = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });
export const apart = (id: string, ...actionables: readonly object[]): object => ({
  ...chain(id, ...actionables),
  transaction: false,
});

const MODELS = [
  {
    _cell: {
      id: { type: 'String', primary_key: true },
      n: { type: 'Number' },
      mail: { type: 'String', optional: true },
      unique: ['mail'],
    },
  },
  {
    _seat: {
      id: { type: 'String', primary_key: true },
      room: { type: 'String', indexable: true },
      n: { type: 'Number' },
      deleted_at: { type: 'DateTime', optional: true },
    },
  },
  { _event: { id: { type: 'String', primary_key: true } } },
];

export interface AttackGroup {
  readonly attack: SerialAttack;
  readonly g: string;
}

/** Cells of every group (`g` and `g b`) and its seats; the other names of a group (`g new`) are free. */
export function createSerialFiles(groups: readonly AttackGroup[]): Files {
  const cells = groups.flatMap(({ g }) => [`('${g}', 0, '${g}')`, `('${g} b', 0, NULL)`]);
  const seats = groups.flatMap(({ g, attack }) => (attack.seats ?? []).map((n, at) => `('${g} ${at}', '${g}', ${n})`));
  const find = (id: string, text: string): object => chain(id, query(1, text, ['$PAYLOAD.like'], { result: 'many' }));
  return {
    'definitions/models.json': MODELS,
    'migrations/0001-view.sql': 'CREATE VIEW room_count AS SELECT room, count(*) AS taken FROM _seat GROUP BY room;',
    'definitions/resources.json': [
      chain(
        'begin',
        query(1, `INSERT INTO _cell (id, n, mail) VALUES ${cells.join(', ')}`, []),
        query(2, `INSERT INTO _seat (id, room, n) VALUES ${seats.join(', ')}`, []),
      ),
      find('cells', 'SELECT id, n FROM _cell WHERE id LIKE $1'),
      find('seats', 'SELECT room, n FROM _seat WHERE room LIKE $1 AND deleted_at IS NULL ORDER BY n'),
      ...[...new Set(groups.map(({ attack }) => attack))].flatMap(({ resources }) => resources),
    ],
  };
}
