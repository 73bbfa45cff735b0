/** Definitions and values for attacks on the queue. Data only. */
import { defineCallAction, defineExtraction, defineQueuedResource, defineSqlAction } from './job-steps.js';
import { DUE } from './jobs.js';

const TEXT = { type: 'String' };
const ROW = { id: { ...TEXT, primary_key: true }, ref: TEXT, n: { type: 'Number' } };
export const QUEUE_MODELS = {
  _orders: { ...ROW, secret_text: { ...TEXT, optional: true }, unique: [['ref', 'n']] },
  _others: ROW,
  _claims: { id: { ...TEXT, primary_key: true }, ref: TEXT },
  _events: { id: { ...TEXT, primary_key: true } },
};
/** A constraint that is checked at the commit. */
export const QUEUE_SCRIPT = 'ALTER TABLE _claims ADD CONSTRAINT one_claim UNIQUE (ref) DEFERRABLE INITIALLY DEFERRED;';

const ULID = '$GENERATOR.ULID';
const REF = '$PAYLOAD.ref';
export const defineOrder = (id: number, n: number, rest: object = {}): object =>
  defineSqlAction(id, `INSERT INTO _orders (id, ref, n) VALUES ($1, $2, ${n})`, [ULID, REF], rest);
const defineClaim = (id: number): object =>
  defineSqlAction(id, 'INSERT INTO _claims (id, ref) VALUES ($1, $2)', [ULID, REF]);
const define = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  ...{ id, resource: id, actionables },
  ...rest,
});
const LATER = { queue: { retries: 0 } };
const SENT = { broadcast_websocket_message: { action: 'x', broadcast_type: 'ALL' } };

export const QUEUE_RESOURCES: readonly object[] = [
  DUE,
  define('all-orders', [
    defineSqlAction(1, 'SELECT ref, n, secret_text FROM _orders ORDER BY n', [], { result: 'many' }),
  ]),
  define('all-others', [defineSqlAction(1, 'SELECT ref, n FROM _others ORDER BY n', [], { result: 'many' })]),
  define('say-now', [defineCallAction(1, { i: '$PAYLOAD.i', v: '$PAYLOAD.v' })]),
  define('say-later', [defineCallAction(1, { i: '$PAYLOAD.i', v: '$PAYLOAD.v' })], LATER),
  define('claim', [defineClaim(1), defineOrder(2, 1), defineCallAction(3, { ref: REF }, LATER)]),
  define('claim-later', [defineOrder(1, 1, SENT), defineClaim(2)], LATER),
  define('open', [defineSqlAction(1, 'INSERT INTO _orders (id, ref, n) VALUES ($1, $1, 0)', [REF])]),
  define('add', [
    defineSqlAction(1, 'SELECT n FROM _orders WHERE id = $1', [REF]),
    defineSqlAction(
      2,
      'UPDATE _orders SET n = $2::bigint + 1 WHERE id = $1 RETURNING n',
      [REF, 'was'],
      defineExtraction(1, 'n', 'was'),
    ),
    defineCallAction(3, { n: '$PAYLOAD.now' }, { ...defineExtraction(2, 'n', 'now'), ...LATER }),
  ]),
  define('once', [defineOrder(1, 1), defineCallAction(2, { ref: REF })], LATER),
  define('both', [
    defineSqlAction(1, 'SELECT 1 AS one', []),
    defineOrder(2, 1, LATER),
    defineSqlAction(
      3,
      'INSERT INTO _orders (id, ref, n) SELECT $1, id, 2 FROM _events WHERE id = $2 RETURNING n',
      [ULID, REF],
      { ...LATER, must_return_value: true },
    ),
  ]),
  define('mend', [defineSqlAction(1, 'INSERT INTO _events (id) VALUES ($1)', [REF])]),
  define('made', [
    defineSqlAction(1, 'INSERT INTO _others (id, ref, n) VALUES ($1, $2, 1)', [ULID, REF]),
    defineCallAction(
      2,
      { of: '$PAYLOAD.made', own: ULID, at: '$DATETIME' },
      { ...defineExtraction(1, 'id', 'made'), queue: { retries: 4 } },
    ),
  ]),
  define('pair', [
    defineSqlAction(1, 'SELECT 1 AS one', []),
    defineCallAction(2, { part: 1 }, LATER),
    defineCallAction(3, { part: 2 }, LATER),
  ]),
  define('event', [
    defineSqlAction(1, 'INSERT INTO _events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id', [REF], {
      ...{ must_return_value: true, on_empty: { stop: true } },
    }),
    defineOrder(2, 1, LATER),
  ]),
  define(
    'listed',
    [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: {
          query: 'INSERT INTO _orders (id, ref, n) VALUES ($1, $2, $3)',
          parameters: [ULID, 'ref', 'n'],
          multi: true,
        },
      },
    ],
    LATER,
  ),
  define('counted', [{ id: 1, mode: 'RETURN', value: { ok: true } }], {
    rate_limit: { limit: 1, identifier: '$HEADER.ip', expires_after: 600 },
  }),
  defineQueuedResource('limited', [
    defineCallAction(1, { ref: REF }, { depends_on: [{ resource_id: 'counted', action_ids: [1] }] }),
  ]),
  define('claimed', [defineCallAction(1, { who: '$PROTECTED.id' })], {
    ...LATER,
    tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
    protected: { extract_claims: ['id'] },
  }),
];

export const QUEUE_OUTBOX = define('all-outbox', [
  defineSqlAction(1, 'SELECT place FROM lintel_outbox', [], { result: 'many' }),
]);

/** JSON texts that a store of the queue might change. */
export const STORED_VALUES: readonly string[] = [
  '9007199254740993',
  '-0',
  '1e21',
  '0.1',
  '1.0',
  '"\\u0000"',
  '"\\ufeffx"',
  '""',
  '"2026-01-01T00:00:00.000Z"',
  '{"a.b":{"":1},"$where":"1","$oid":"0123456789abcdef01234567"}',
  '{"$date":"2026-01-01T00:00:00Z"}',
  '{"$numberLong":"7"}',
  '{"_id":1,"b":2,"a":[[],{},null]}',
  '{"__proto__":1}',
  '{"2":1,"1":2}',
  '"\\ud83d\\ude00 \\u0130"',
];
