/**
 * Error codes shared by all SQL dialects, so that a problem has one code on any database. Data only; the drivers map their
 * errors to codes.
 */
import type { CodeEntry } from '../../../contract/problem.js';

export const dialectErrors = {
  QRY_UNIQUE: {
    status: 409,
    title: 'Already taken',
    message: 'A record with this value exists already.',
    help: 'A unique index rejected the write. `errors` names the fields if the database reports them.',
  },
  QRY_FOREIGN_KEY: {
    status: 409,
    title: 'Broken reference',
    message: 'The record refers to one that does not exist, or others still refer to it.',
    help: 'A foreign key rejected the write. Create the referenced record first, or remove the references.',
  },
  QRY_SERIALIZATION: {
    status: 409,
    title: 'Concurrent change',
    message: 'Another request changed the same data at the same time.',
    help: 'The database aborted this transaction because of a conflict or a deadlock with another. Nothing was written, so it is safe to send the request again.',
  },
  QRY_NOT_NULL: {
    status: 422,
    title: 'Value missing',
    message: 'A required value is missing.',
    help: 'The table requires a value for the field in `errors`. Send it, or make the field optional in the model.',
  },
  QRY_CHECK: {
    status: 422,
    title: 'Value rejected',
    message: 'A value breaks a rule of the table.',
    help: 'A check of the table rejected the row, for example the `max_length` of a text field.',
  },
  QRY_BAD_VALUE: {
    status: 422,
    title: 'Value of the wrong type',
    message: 'A value does not fit the type that the query expects.',
    help: 'The database could not read a value as the type of its column or cast: text that is no number, a date that does not exist, a number out of range, a NUL character.',
  },
  QRY_TIMEOUT: {
    status: 503,
    title: 'Query took too long',
    message: 'The database did not finish in time. {outcome}',
    help: 'The deadline of its connection (`statement_timeout`) or of its request (`http.timeouts.request`) passed, or it waited too long for a lock. If the outcome of a write is unknown, the message says so.',
  },
  QRY_UNAVAILABLE: {
    status: 503,
    title: 'Database not available',
    message: 'The database is unavailable. {outcome}',
    help: 'The connection was refused or lost, or no connection became free, or would by estimate, within `pool_wait` seconds and the deadline of the request (`http.timeouts.request`). If the outcome of a write is unknown, the message says so.',
  },
  QRY_RESULT: {
    status: 500,
    title: 'Result too large',
    message: 'The result has more than {max} {what}. {outcome}',
    help: 'A statement returns more than one request may hold; the log names the resource and the actionable. Limit the rows in the statement (`LIMIT`), or raise `result_rows` or `result_bytes` of its connection.',
  },
  QRY_CROWDED: {
    status: 503,
    title: 'Too many large results',
    message: 'Too many large results are in memory. {outcome}',
    help: 'Large results of a process together may take an eighth of its heap. Send the request again later, limit the rows (`LIMIT`), or give the process more memory (`--max-old-space-size`).',
  },
  QRY_FAILED: {
    status: 500,
    title: 'Query failed',
    message: 'The query failed.',
    help: 'The database rejected the statement for a reason that the client cannot fix; the log has the details.',
  },
  QRY_CONNECT: {
    status: 503,
    title: 'No connection',
    message: 'Connection {instance} cannot be opened: {reason}.',
    help: 'The database behind a connection of the config file could not be opened at the start.',
  },
  QRY_DUPLICATES: {
    status: 500,
    title: 'Duplicate rows',
    message: 'Several rows of the table {table} have the same {columns}, which must be unique.',
    help: 'A model or a query requires unique values, but the table has duplicates. Merge or delete those rows, then start again.',
  },
  QRY_MIGRATION: {
    status: 500,
    title: 'Migration failed',
    message: 'The database could not be migrated to the models (table {table}). {outcome}',
    help: 'The log has the reason; existing rows may break a new unique index, a foreign key or, with `lintel migrate --destroy`, a new type.',
  },
  QRY_REPLICA: {
    status: 503,
    title: 'Replica behind its primary',
    message: 'The replica does not have the tables of the models yet ({tables}).',
    help: 'Tables are changed on the primary; the replica receives the changes. If it does not within seconds, check the replication, or whether `replica_of` names the right connection.',
  },
  QRY_SCRIPT: {
    status: 500,
    title: 'SQL of the project failed',
    message: 'The database rejects {file}: {what}. {outcome}',
    help: 'Fix the file and run `lintel migrate` again; files that have run are not run a second time.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

const AT_THE_START: readonly string[] = ['QRY_CONNECT', 'QRY_DUPLICATES', 'QRY_MIGRATION', 'QRY_REPLICA', 'QRY_SCRIPT'];

export const dialectRejections: readonly string[] = Object.keys(dialectErrors).filter(
  (code) => !AT_THE_START.includes(code),
);

/** Details of one field, identical on all databases. */
export const rejectedFields: Partial<Record<keyof typeof dialectErrors, string>> = {
  QRY_UNIQUE: 'is taken already',
  QRY_FOREIGN_KEY: 'refers to a record that does not exist, or is still referred to',
  QRY_NOT_NULL: 'must have a value',
  QRY_CHECK: 'breaks a rule of the table',
  QRY_BAD_VALUE: 'does not fit the type that the query expects',
};
