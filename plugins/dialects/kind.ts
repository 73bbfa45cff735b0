/**
 * Kind `dialect`: a SQL database behind a named connection. Statements are prepared at load and run with bound
 * values.
 */
import type { ConsolePane } from '../../contract/console.js';
import type { StatementText } from '../../contract/statement-text.js';
import type { Requester } from '../../contract/requester.js';
import { defineKind } from '../../contract/kind.js';
import type { ModelTable } from '../../contract/model.js';
import type { Hide, IsolationNeed, RowLock } from '../../contract/plan.js';
import type { JsonStream } from '../../contract/json-stream.js';
import type { RawJson } from '../../contract/raw-json.js';
import { EMBEDDED_CONNECTION } from '../shared/embedded.light.js';

export { createTableRows } from './shared/table-rows.light.js';

export type Row = Readonly<Record<string, unknown>>;

export interface PreparedStatement {
  /** Stable name of the server-side prepared statement. */
  readonly name: string;
  readonly text: string;
  /** Parameter number (from 0) for each value sent to the driver, in order. */
  readonly order: readonly number[];
  /** For each parameter (0-based): bind the value as JSON text. */
  readonly json: readonly boolean[];
  /** Reads without locks, so it may be outdated when a later statement of the transaction writes. */
  readonly readOnly: boolean;
}

export interface PrepareInput {
  readonly scan: StatementText;
  /** For each parameter (0-based): the model declares a JSON column. */
  readonly jsonColumns: readonly boolean[];
  /** Models of the tables that the statement uses, where they exist. */
  readonly tables?: readonly ModelTable[];
  /** Runs in parallel with other statements of its request, so it must not wait behind them. */
  readonly atOnce?: boolean;
  /** A statement that cannot lock rows is prepared unchanged. */
  readonly lock?: RowLock | null;
  /** A stand-alone read of tables that serializable transactions use. */
  readonly among?: boolean;
}

export type Isolation = Pick<IsolationNeed, 'level' | 'among'>;

/** A transaction on its own connection. */
export interface Transaction {
  readonly transaction: unknown;
  /** Rows of the last statement, if one was run in place of all. */
  rowsOfLast?: readonly Row[] | undefined;
}

/** Field names and shape of rows as JSON text. Created at load. */
export interface Rendering {
  /** Null: all columns. */
  readonly names: readonly string[] | null;
  /** Removes nested names from values; null: nothing is removed. */
  readonly hide: Hide | null;
  /** `one`: the first row or null; `many`: a list; `count`: null, the only row, or a list. */
  readonly shape: 'one' | 'many' | 'count';
  /** A large text may be passed on while it is received. */
  readonly streams?: boolean;
}

/** Constant SQL of plugins, such as that of a ledger; values are bound. */
export interface Statements {
  /** `transaction`: from `begin` or the frame's unit; null: none. */
  execute(text: string, values: readonly unknown[], transaction: unknown): Promise<readonly Row[]>;
}

export interface BoundStatement {
  readonly prepared: PreparedStatement;
  readonly values: readonly unknown[];
}

export interface RowsOfTwo {
  readonly first: readonly Row[];
  readonly last: readonly Row[];
}

/** Connections of a pool, and requests that wait for one. */
export interface PoolUsage {
  readonly most: number;
  readonly open: number;
  readonly busy: number;
  readonly waiting: number;
}

export const createPoolPane = (instance: string, measure: () => PoolUsage | null): ConsolePane => ({
  title: `Connections of ${instance}`,
  within: 'metrics',
  read: () => ({ [`pool ${instance}`]: { ...measure() } }),
});

export interface Dialect extends Statements {
  prepare(input: PrepareInput): PreparedStatement;
  /**
   * `values` in the order of `parameters`. Rows have native values: parsed JSON, integers and decimals as numbers,
   * times as ISO 8601 in UTC. Throws a Fault QRY_*; its issues point at columns (`/email`) or parameters (`$1`).
   * `last`: no statement follows in this transaction, so the driver may commit with it; `commit` is still called.
   * `requester`: the request that waits, or that began the transaction.
   */
  run(
    prepared: PreparedStatement,
    values: readonly unknown[],
    transaction: Transaction | null,
    last?: boolean,
    requester?: Requester | null,
  ): Promise<readonly Row[]>;
  /**
   * Runs a statement in place of all of a transaction, and commits. Null: it returned no rows, or has failed in a way that may not be
   * its own, and the transaction goes on without its effect. Absent: impossible.
   */
  readonly runWhole?: (statement: BoundStatement, transaction: Transaction) => Promise<readonly Row[] | null>;
  /**
   * As `run` outside a transaction, with rows as the text of JSON.stringify. A `JsonStream` only if rendering and
   * invocation allow it.
   */
  readonly render?: (
    prepared: PreparedStatement,
    values: readonly unknown[],
    rendering: Rendering,
    requester?: Requester | null,
  ) => Promise<RawJson | JsonStream>;
  /** The same inside a transaction. The text is held: it must not leave before the commit. Absent: impossible. */
  readonly renderInside?: (
    prepared: PreparedStatement,
    values: readonly unknown[],
    rendering: Rendering,
    transaction: Transaction,
    last: boolean,
    requester: Requester | null,
  ) => Promise<RawJson>;
  /** Rejects with a retryable error when the isolation cannot be provided. */
  begin(need: Isolation, requester?: Requester | null): Promise<Transaction>;
  /** Begins a read-only transaction. Absent: a statement inside sets it, as on PostgreSQL. */
  readonly beginReadOnly?: (need: Isolation) => Promise<Transaction>;
  /** The level of `begin`, in the database's terms. */
  isolation(need: Isolation): string;
  commit(transaction: Transaction): Promise<void>;
  /** Never rejects: a connection that cannot roll back is discarded. */
  rollback(transaction: Transaction): Promise<void>;
  /**
   * Rolls back and closes the connection, or releases what a rollback leaves in the only session. Never rejects.
   */
  readonly closeSession?: (transaction: Transaction) => Promise<void>;
  /**
   * Runs a reading statement inside a transaction and leaves the transaction unchanged. Absent where a statement can make the transaction read-only.
   */
  readonly readInside?: (prepared: PreparedStatement, transaction: Transaction) => Promise<readonly Row[]>;
  /** True when a retry may succeed (serialization failure, deadlock). */
  retryable(error: unknown): boolean;
}

/** Plugins' own statements take the locks they need. */
export const BY_LOCKS: Isolation = { level: 'locks', among: false };
/** Several reads of one consistent snapshot. */
export const SNAPSHOT: Isolation = { level: 'snapshot', among: false };
/** Any reads and writes: the database detects conflicts. */
export const SERIALIZABLE: Isolation = { level: 'serializable', among: true };

export const dialect = defineKind<Dialect>({
  kind: 'dialect',
  title: 'SQL dialect',
  summary: 'A SQL database for `sql_query`, configured as a named connection.',
  slots: ['config.connections'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'connections',
    doc: 'Named SQL connections. Queries use `main`, unless they or their models name another.',
    many: true,
    load: 'when-required',
    tested: { use: 'pglite', path: 'memory://' },
    must: 'main',
    models: { references: true, primary: 'replica_of' },
    default: ({ has }) => {
      if (has('DATABASE_URL')) return { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } };
      if (!has('MYSQL_URL')) return { main: { use: 'pglite' } };
      // For features that MySQL cannot store; opened only when used.
      return { main: { use: 'mysql', url: '$ENV.MYSQL_URL' }, [EMBEDDED_CONNECTION]: { use: 'pglite' } };
    },
  },
  facts: {
    returning: { doc: 'The database has a RETURNING clause.', type: 'boolean', required: true },
    syntax: {
      doc: 'The SQL syntax of the database. Statements are checked at load if it is `postgresql`.',
      type: 'string',
      required: false,
      oneOf: ['postgresql', 'mysql'],
    },
    reserved: {
      doc: 'Reserved words of this database, in lower case, that PostgreSQL allows as names without quotes.',
      type: 'list',
      required: false,
    },
    schemes: {
      doc: 'How addresses of its servers begin: `postgres` for `postgres://...`.',
      type: 'list',
      required: false,
    },
    scratch: {
      doc: 'An empty embedded database can check statements without running them.',
      type: 'boolean',
      required: false,
    },
    embedded: { doc: 'Runs inside the process; no server to install.', type: 'boolean', required: true },
  },
  handle: ['prepare', 'run', 'execute', 'begin', 'isolation', 'commit', 'rollback', 'retryable'],
  host: (fragment) => ({ file: 'config', json: { connections: { main: fragment } }, at: '/connections/main' }),
});
