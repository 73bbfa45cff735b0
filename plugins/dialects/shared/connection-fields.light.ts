/** Options of every database connection pool. Schemas and texts only. */
import { numeric, text } from '../../../contract/combinators.js';

/** Limits for the result of one statement. */
const createResultFields = (doc: string) => ({
  result_rows: numeric({ doc, unit: 'rows', default: 500_000 }).integer().min(1),
  result_bytes: numeric({ doc, unit: 'bytes', default: 67_108_864 }).integer().min(1024),
});

const REJECTED = 'Larger results are rejected (`QRY_RESULT`).';
export const resultFields = createResultFields(REJECTED);

export const REJECTED_OR_STREAMED =
  'Larger results are rejected (`QRY_RESULT`), except where they are streamed. No result is, if this is set.';

/** For servers. */
export const serverFields = {
  replica_of: text({
    doc:
      'The connection whose database this server replicates. Only queries that read may name a replica. It is never migrated: while its ' +
      'tables are not those of the models, its resources respond with 503. `lintel test` runs its queries on the primary.',
    complete: { source: 'connection', of: 'dialect' },
    examples: ['main'],
  }),
  isolation: text({
    doc:
      'Isolation level of transactions. `auto` chooses for each transaction, at load, a level that prevents conflicts between requests: locks in ' +
      '`read committed`, `repeatable read` for several reads, `serializable` otherwise. `lintel plan` shows it.',
    default: 'auto',
    examples: ['serializable'],
  }).oneOf(['auto', 'read committed', 'repeatable read', 'serializable']),
};

/** Texts that a driver may replace. */
export const connectionFields = ({
  poolSize = 'Connections for requests at most. The readiness check has one more.',
  results = REJECTED,
  poolWait = 'How long a request waits for a free connection before it is rejected (`QRY_UNAVAILABLE`), at once under overload.',
}: {
  readonly poolSize?: string;
  readonly poolWait?: string;
  readonly results?: string;
} = {}) => ({
  pool_size: numeric({ doc: poolSize, unit: 'connections', default: 10 }).integer().min(1).max(500),
  statement_timeout: numeric({
    doc: 'Longer statements are cancelled (`QRY_TIMEOUT`).',
    unit: 'seconds',
    default: 10,
  })
    .min(0.001)
    .max(3600),
  pool_wait: numeric({ doc: poolWait, unit: 'seconds', default: 2 }).min(0.001).max(60),
  idle_timeout: numeric({ doc: 'Idle connections are closed after this time.', unit: 'seconds', default: 30 })
    .min(0.001)
    .max(3600),
  ...createResultFields(results),
});
