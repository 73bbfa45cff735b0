/**
 * Chains that fail when two requests interfere, and the condition of each afterwards, as if the requests had run one
 * after another. Every race has separate rows (`$PAYLOAD.g`). Data only; nothing is sent here.
 */
import type { Files } from './project.js';

type Parameters = readonly unknown[];

const defineStep = (id: number, query: string, parameters: Parameters, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
const defineListStep = (id: number, query: string, parameters: Parameters, list: string): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters, multi: list },
});
const find = (id: string, query: string): object =>
  defineChain(id, defineStep(1, query, ['$PAYLOAD.like'], { result: 'many' }));
const defineDependency = (
  ids: readonly number[],
  names: Readonly<Record<string, string>>,
  resource = 'self',
): object => ({
  depends_on: [
    {
      resource_id: resource,
      action_ids: ids,
      extract_response_for: Object.entries(names).map(([extract, name]) => ({ extract, for: name })),
    },
  ],
});
const defineChain = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });

const G = '$PAYLOAD.g';
const COUNT = 'SELECT count(*) AS taken FROM _seat WHERE room = $1';
const SEAT = 'INSERT INTO _seat (id, room, start, finish) SELECT $1, $2, 0, 1 WHERE $3::bigint < 1';
const add = (id: string, by: number, read = 'n'): object =>
  defineChain(
    id,
    defineStep(1, `SELECT ${read} FROM _cell WHERE id = $1`, [G]),
    defineStep(
      2,
      'UPDATE _cell SET n = $2::bigint + $3::bigint WHERE id = $1',
      [G, 'was', by],
      defineDependency([1], { n: 'was' }),
    ),
  );

export const RACES: Readonly<Record<string, { readonly paths: readonly string[]; readonly body?: object }>> = {
  'lost update': { paths: ['add', 'add'] },
  'a function of a row that is read': { paths: ['highest', 'highest'] },
  'two resources on one row': { paths: ['add', 'add-ten'] },
  'write skew': { paths: ['leave', 'leave'] },
  'phantom by count': { paths: ['take', 'take'] },
  'phantom by range': { paths: ['book', 'book'] },
  'lock, then read': { paths: ['locked', 'locked'] },
  'dependency of another resource': { paths: ['across', 'across'] },
  'a list': { paths: ['many', 'many'], body: { items: [{ x: 1 }, { x: 2 }] } },
  'work after the response': { paths: ['behind', 'behind'] },
};

/** By race and group: the number, and its condition. */
export const HOLDS: Readonly<Record<string, (found: { n: number; seats: number; on: number }) => boolean>> = {
  'lost update': ({ n }) => n === 2,
  'a function of a row that is read': ({ n }) => n === 2,
  'two resources on one row': ({ n }) => n === 11,
  'write skew': ({ on }) => on === 1,
  'phantom by count': ({ seats }) => seats === 1,
  'phantom by range': ({ seats }) => seats === 1,
  'lock, then read': ({ seats }) => seats === 1,
  'dependency of another resource': ({ n }) => n === 2,
  'a list': ({ seats }) => seats === 2,
  'work after the response': ({ seats }) => seats === 1,
};

const BEHIND = {
  ...defineChain(
    'behind',
    defineStep(1, COUNT, [G]),
    defineStep(2, SEAT, ['$GENERATOR.ULID', G, 'taken'], defineDependency([1], { taken: 'taken' })),
    defineStep(3, 'INSERT INTO _attempt (id) VALUES ($1)', ['$GENERATOR.ULID']),
  ),
  run_in_background: true,
};
const formatPair = (g: string): string => `('${g} 0', '${g}', 1), ('${g} 1', '${g}', 1)`;
/** Of all groups, in one statement: rows that are put in one by one cost more than the races. */
const formatRows = (groups: readonly string[], row: (group: string) => string): string => groups.map(row).join(', ');

/** With the rows of these groups; without the races of these names. */
export const createRaceFiles = (groups: readonly string[], without: readonly string[] = []): Files => ({
  'definitions/models.json': [
    { _cell: { id: { type: 'String', primary_key: true }, n: { type: 'Number' } } },
    {
      _seat: {
        id: { type: 'String', primary_key: true },
        room: { type: 'String', indexable: true },
        start: { type: 'Number' },
        finish: { type: 'Number' },
      },
    },
    {
      _doctor: {
        id: { type: 'String', primary_key: true },
        ward: { type: 'String', indexable: true },
        duty: { type: 'Number' },
      },
    },
    { _attempt: { id: { type: 'String', primary_key: true } } },
  ],
  'definitions/resources.json': [
    defineChain(
      'cell',
      defineStep(1, `INSERT INTO _cell (id, n) VALUES ${formatRows(groups, (g) => `('${g}', 0)`)}`, []),
    ),
    defineChain(
      'doctor',
      defineStep(1, `INSERT INTO _doctor (id, ward, duty) VALUES ${formatRows(groups, formatPair)}`, []),
    ),
    add('add', 1),
    add('add-ten', 10),
    // One row by its key, which no lock can hold: it has become another one.
    add('highest', 1, 'max(n) AS n'),
    defineChain(
      'leave',
      defineStep(1, 'SELECT count(*) AS there FROM _doctor WHERE ward = $1 AND duty = 1', [G]),
      defineStep(
        2,
        'UPDATE _doctor SET duty = 0 WHERE id = $1 AND $2::bigint > 1',
        ['$PAYLOAD.me', 'there'],
        defineDependency([1], { there: 'there' }),
      ),
    ),
    defineChain(
      'take',
      defineStep(1, COUNT, [G]),
      defineStep(2, SEAT, ['$GENERATOR.ULID', G, 'taken'], defineDependency([1], { taken: 'taken' })),
    ),
    defineChain(
      'book',
      defineStep(
        1,
        'INSERT INTO _seat (id, room, start, finish) SELECT $1, $2, 3, 5 WHERE NOT EXISTS ' +
          '(SELECT 1 FROM _seat WHERE room = $2 AND start < 5 AND finish > 3)',
        ['$GENERATOR.ULID', G],
      ),
    ),
    defineChain(
      'locked',
      defineStep(1, 'SELECT id FROM _cell WHERE id = $1 FOR UPDATE', [G]),
      defineStep(2, COUNT, [G]),
      defineStep(3, SEAT, ['$GENERATOR.ULID', G, 'taken'], defineDependency([2], { taken: 'taken' })),
    ),
    defineChain('reader', defineStep(1, 'SELECT n FROM _cell WHERE id = $1', [G], { no_op: true })),
    defineChain(
      'across',
      defineStep(
        1,
        'UPDATE _cell SET n = $2::bigint + 1 WHERE id = $1',
        [G, 'seen'],
        defineDependency([1], { n: 'seen' }, 'reader'),
      ),
    ),
    defineChain(
      'many',
      defineListStep(
        1,
        'INSERT INTO _seat (id, room, start, finish) SELECT $1, $2, $3::bigint, 1 WHERE (SELECT count(*) FROM _seat WHERE room = $2) < 2',
        ['$GENERATOR.ULID', G, '$PAYLOAD.x'],
        'items',
      ),
    ),
    defineChain('attempts', defineStep(1, 'SELECT count(*) AS n FROM _attempt', [])),
    find('cells', 'SELECT id, n FROM _cell WHERE id LIKE $1'),
    find('seats', 'SELECT room, count(*) AS seats FROM _seat WHERE room LIKE $1 GROUP BY room'),
    find('duty', 'SELECT ward, sum(duty) AS on_duty FROM _doctor WHERE ward LIKE $1 GROUP BY ward'),
    ...(without.includes('work after the response') ? [] : [BEHIND]),
  ],
});
