/** Changes by authors while jobs wait: the resource that accepted the job and the one that runs it. Data only. */
import { defineCallAction, defineExtraction, defineQueuedResource, defineSqlAction } from './job-steps.js';
import { defineOrder } from './queue-attacks.js';

export interface Change {
  readonly what: string;
  readonly first: object;
  readonly then: object;
  readonly body?: object;
  /** A step was complete before the change, and a call failed after it: the rows at the end. */
  readonly done?: number;
  /** Of the work at the end; null: it is done. */
  readonly code: string | null;
}

const ULID = '$GENERATOR.ULID';
const REF = '$PAYLOAD.ref';
const waiting = (id: string, actionables: readonly object[], rest: object = {}): object =>
  defineQueuedResource(id, actionables, { queue: { delay: 3600, retries: 0 }, ...rest });
const SECRET = 'INSERT INTO _orders (id, ref, n, secret_text) VALUES ($1, $2, 1, $3)';
const rule = (field: object): object => ({ payload_validation: [{ field }] });
const TEXT = { type: 'STRING' };
const secret = (value: unknown, rest: object = {}): object =>
  defineSqlAction(1, SECRET, [ULID, REF, value], { ...rule({ word: TEXT, ref: TEXT }), ...rest });
const PLAIN = secret('word');
const CIPHER = {
  algorithm: 'Aes256Gcm',
  operation: 'Encrypt',
  properties: ['word'],
  options: { key: '$ENV.FIELD_KEY' },
};
const WORD = { word: 'sesame' };
const HASHED = { hashables: [{ algorithm: 'BCRYPT', property: 'word', options: { rounds_cost: 4 } }] };

const change = (
  id: string,
  what: string,
  first: readonly object[],
  then: readonly object[],
  rest: Partial<Change>,
): Change => ({
  ...{ what, first: waiting(id, first), then: waiting(id, then), code: null },
  ...rest,
});

export const CHANGES: readonly Change[] = [
  change('hashed', 'a field that is hashed by now is not stored in clear', [PLAIN], [secret('word', HASHED)], {
    ...{ body: WORD, code: 'JOB_CHANGED' },
  }),
  change(
    'sealed',
    'a field that is encrypted by now is not stored in clear',
    [PLAIN],
    [secret('word', { ciphers: [CIPHER] })],
    {
      ...{ body: WORD, code: 'JOB_CHANGED' },
    },
  ),
  change(
    'canonical',
    'a field that has one form by now is not stored in another',
    [PLAIN],
    [secret('word', rule({ word: { ...TEXT, canonical: 'lower' }, ref: TEXT }))],
    { body: { word: 'Sesame' }, code: 'JOB_CHANGED' },
  ),
  change(
    'form-kept',
    'a form that was there before is no change',
    [secret('word', rule({ word: { ...TEXT, canonical: 'lower' }, ref: TEXT }))],
    [secret('word', rule({ word: { ...TEXT, canonical: 'lower', max_length: 90 }, ref: TEXT }))],
    { body: { word: 'Sesame' } },
  ),
  change(
    'hash-kept',
    'a hash that was there before is no change',
    [secret('word', HASHED)],
    [secret('word', { hashables: [{ algorithm: 'BCRYPT', property: 'word', options: { rounds_cost: 5 } }] })],
    { body: WORD },
  ),
  change(
    'named',
    'a name that was not stored is not null',
    [PLAIN],
    [secret('other', rule({ word: TEXT, other: { ...TEXT, optional: true }, ref: TEXT }))],
    { body: { word: 'a', other: 'b' }, code: 'JOB_CHANGED' },
  ),
  change('header', 'a header that was not stored is not empty', [PLAIN], [secret('$HEADER.user-agent')], {
    ...{ body: WORD, code: 'JOB_CHANGED' },
  }),
  {
    what: 'work whose resource now responds immediately is stored',
    first: waiting('at-once', [defineOrder(1, 1)]),
    then: { id: 'at-once', resource: 'at-once', actionables: [defineOrder(1, 1)] },
    code: 'JOB_UNKNOWN',
  },
  change('priority', 'settings of the queue are those of its acceptance', [defineOrder(1, 1)], [defineOrder(1, 1)], {
    then: defineQueuedResource('priority', [defineOrder(1, 1)], { queue: { delay: 7200, retries: 3 } }),
  }),
  change(
    'moved',
    'a step that is done is not done again on another connection',
    [defineOrder(1, 1), defineCallAction(2, { ref: REF })],
    [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: {
          ...{ connection: 'second', query: 'INSERT INTO _others (id, ref, n) VALUES ($1, $2, 1)' },
          parameters: [ULID, REF],
        },
      },
      defineCallAction(2, { ref: REF }),
    ],
    { done: 1 },
  ),
  change(
    'extracted',
    'a value of a done step that was not noted is not missing in silence',
    [defineOrder(1, 1), defineCallAction(2, { id: '$PAYLOAD.made' }, defineExtraction(1, 'id', 'made'))],
    [defineOrder(1, 1), defineCallAction(2, { n: '$PAYLOAD.made' }, defineExtraction(1, 'n', 'made'))],
    { done: 1, code: 'JOB_CHANGED' },
  ),
  change(
    'joined',
    'steps that are one transaction by now are not done again',
    [defineOrder(1, 1), defineCallAction(2, { ref: REF }), defineOrder(3, 2)],
    [defineOrder(1, 1), defineOrder(3, 2)],
    { done: 2 },
  ),
  change(
    'between',
    'a step that is new in front of the failed one is done',
    [defineOrder(1, 1), defineCallAction(2, { ref: REF })],
    [defineOrder(1, 1), defineOrder(3, 2), defineCallAction(2, { ref: REF })],
    { done: 2 },
  ),
];
