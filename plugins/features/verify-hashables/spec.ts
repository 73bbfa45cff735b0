/** Spec of `verify_hashables`: the caller must know the plain text of a hash in the result. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { ActionPhase } from '../../../contract/slot.js';
import { isNull } from '../../../contract/forms.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { list, shape, text } from '../../../contract/combinators.js';
import { property } from '../../hashers/shared/fields.light.js';

const PROPERTY = { say: 'the field of the payload is `"property"`', rename: 'property' };

export default definePlugin({
  kind: 'feature',
  name: 'verify_hashables',
  since: '0.2.0',
  summary: 'Compares payload fields with the hashes in the result. If one does not match, the response is 401.',
  details:
    'The field as it was sent is compared with the field of the same name (its last segment) in the single row of the ' +
    'result; `hash_field` names another column. If the row has no such column, the path is followed inside one: ' +
    '`profile.password`. No row, several rows, no hash, no text and a wrong text have the same response and the same ' +
    'response time. It is checked before `must_return_value`, so an unknown user is 401 and not 404. The hash is ' +
    'never returned unless `returnables` names it.',
  facts: { applies: 'when-present' },
  requires: ['hasher:*'],
  slots: {
    actionable: shape({
      verify_hashables: list(
        shape({
          property,
          hash_field: text({
            doc: 'Field of the result with the hash (extension). Default: the last segment of `property`.',
            declares: 'secret',
            complete: { source: 'value' },
            examples: ['password_hash'],
          }).min(1),
        }).meta({
          doc: 'A payload field, and the algorithm of its hash.',
          parts: ['verify_hashables.item'],
          mistaken: { field: PROPERTY, name: PROPERTY, column: PROPERTY },
        }),
        { doc: 'Payload fields that must match their hashes.', itemLabel: 'an entry of "verify_hashables"' },
      ).min(1),
    }),
  },
  check,
  transactionEffect: () => 'demanding',
  // A verified request always has a row, so null is no possible result.
  openapi: () => ({
    repeatable: true,
    changes: [{ phase: ActionPhase.CONFIRM, order: -100, change: (forms) => forms.filter((form) => !isNull(form)) }],
  }),
  errors: {
    VER_FAILED: {
      status: 401,
      title: 'Not verified',
      message: 'The credentials are not valid.',
      help: 'The response does not reveal which part is wrong, or whether the record exists.',
    },
    VER_BUSY: {
      status: 503,
      title: 'Too much to compare',
      message: 'Too many sign-ins are waiting; send the request again.',
      help: 'Comparing a password takes long on purpose. Inside a transaction only a few are compared at a time.',
    },
    VER_NOT_SELECTED: {
      severity: 'error',
      title: 'Hash not selected',
      message: 'The query does not select "{field}", so there is no hash to compare with.',
      help: 'Add the column to the query, or name the right one in `hash_field`. It is not returned unless `returnables` names it.',
    },
    VER_CACHED: {
      severity: 'error',
      title: 'Verification skipped by the cache',
      message: 'A cached result would be returned without comparing "{property}".',
      help: 'Remove `read_from_cache` here, on the actionable and on the resource.',
    },
  },
  examples: [
    {
      title: 'A password, with the row that was read',
      json: {
        payload_validation: [{ field: { password: { type: 'STRING' } } }],
        mode: 'RETURN',
        value: { id: 1, password: '$2b$10$EAMOa4S9qCOW78/qcGnRdOd5WpbZgD5ZjDd/6Kg9ZieqIK41jAliG' },
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      },
    },
  ],
  counterExamples: [
    { title: 'Nothing to verify', json: { verify_hashables: [] }, code: 'DEF_RANGE', at: '/verify_hashables' },
    {
      title: 'An option that the hash contains',
      json: { verify_hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 12 } }] },
      code: 'DEF_UNKNOWN_KEY',
      at: '/verify_hashables/0/options',
    },
    {
      title: 'The hash is not read',
      json: {
        mode: 'QUERY',
        sql_query: { query: 'SELECT id FROM _user WHERE email = $1', parameters: ['$PAYLOAD.email'] },
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      },
      code: 'VER_NOT_SELECTED',
      at: '/verify_hashables/0/property',
    },
  ],
});

function check({ value, holder, root }: CheckPlace): Finding[] {
  const written = value['verify_hashables'];
  const entries = Array.isArray(written) ? (written as readonly Json[]) : [];
  const isCached = [holder, root].some(readsCache);
  const selects = Object.values(holder).filter(isObject).flatMap(listColumns);
  return entries.filter(isObject).flatMap((entry, index) => {
    const property = asText(entry['property']);
    const named = entry['hash_field'] === undefined ? 'property' : 'hash_field';
    const path = asText(entry[named]).split('.');
    const field = path.at(-1) ?? '';
    // The column itself, or the column that contains it.
    const isRead = (columns: ReadonlySet<string>): boolean =>
      columns.has(field.toLowerCase()) || columns.has(asText(path[0]).toLowerCase());
    const at = `/verify_hashables/${index}`;
    return [
      ...(selects.some((columns) => !isRead(columns))
        ? [{ code: 'VER_NOT_SELECTED', at: `${at}/${named}`, params: { field } }]
        : []),
      ...(isCached ? [{ code: 'VER_CACHED', at: `${at}/property`, params: { property } }] : []),
    ];
  });
}

const readsCache = ({ cacheable }: JsonObject): boolean => isObject(cacheable) && cacheable['read_from_cache'] === true;

/** Identifiers of a SELECT in lower case; none where a `*` may add unwritten columns. */
function listColumns({ query }: JsonObject): ReadonlySet<string>[] {
  if (typeof query !== 'string') return [];
  const { verb, tokens } = scanSql(query);
  const texts = tokens.map(({ type, start, end }) => ({ type, text: query.slice(start, end) }));
  if (verb !== 'SELECT' || texts.some(({ type, text }) => type === 'operator' && text.includes('*'))) return [];
  const names = texts.flatMap(({ type, text }) => {
    if (type === 'word') return [text.toLowerCase()];
    return type === 'quoted-identifier' ? [text.slice(1, -1).replaceAll('""', '"').toLowerCase()] : [];
  });
  return [new Set(names)];
}
