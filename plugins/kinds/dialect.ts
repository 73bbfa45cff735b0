/**
 * Kind `dialect`: a SQL database behind a named connection. The handle prepares statements at load and runs them with
 * bound values; nothing here builds SQL text from values.
 */
import type { Asker } from '../../kernel/contract/asker.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { ModelTable } from '../../kernel/contract/model.js';
import type { Hide, IsolationNeed, RowLock } from '../../kernel/contract/plan.js';
import type { Rendered } from '../../kernel/contract/rendered.js';
import type { SqlScan } from '../../kernel/language/sql.js';
import { BESIDE_MYSQL } from './embedded.js';

export type Row = Readonly<Record<string, unknown>>;

/** One statement of a definition, ready for a database. Made once at load. */
export interface Prepared {
  /** Stable name for a server-side prepared statement. */
  readonly name: string;
  readonly text: string;
  /** Parameter number (0-based, as `parameters` lists them) for each value sent to the driver, in driver order. */
  readonly order: readonly number[];
  /** For each parameter (0-based): bind the value as JSON text. */
  readonly json: readonly boolean[];
  /** Reads and locks nothing: what it saw may be outdated when a later statement of the transaction writes. */
  readonly readOnly: boolean;
}

export interface PrepareInput {
  readonly scan: SqlScan;
  /** For each parameter (0-based): the model says that the value goes to a JSON column. */
  readonly jsonColumns: readonly boolean[];
  /** What the models say of the tables that the statement touches, as far as there are models. */
  readonly tables?: readonly ModelTable[];
  /** Runs at the same time as others of its request: it may not wait behind one of them. */
  readonly atOnce?: boolean;
  /** How the rows that it reads are locked, if the statement allows it; one that cannot is prepared as it stands. */
  readonly lock?: RowLock | null;
  /** It only reads, by itself, tables on which there are serializable transactions. */
  readonly among?: boolean;
}

/** What a transaction needs of its isolation. */
export type Isolation = Pick<IsolationNeed, 'level' | 'among'>;

/** A transaction on a connection of its own. Opaque to everybody but the dialect that made it. */
export interface Transaction {
  readonly transaction: unknown;
}

/** How rows become one JSON text: which of their names, and in which shape. Made once at load. */
export interface Rendering {
  /** Null: all columns. */
  readonly names: readonly string[] | null;
  /** What else is taken out of the rows: names inside a value, which no column says. Null: nothing. */
  readonly hide: Hide | null;
  /** The first row or null; a list; or whichever the number of rows says (none is null, one is itself). */
  readonly shape: 'one' | 'many' | 'count';
}

/** Runs fixed SQL of plugins, such as that of a ledger: `text` comes from a plugin's source, values are bound. */
export interface Statements {
  /** `transaction`: as `begin` or the unit of a frame gave it; null: on its own. Throws a Fault QRY_*. */
  execute(text: string, values: readonly unknown[], transaction: unknown): Promise<readonly Row[]>;
}

export interface Dialect extends Statements {
  prepare(input: PrepareInput): Prepared;
  /**
   * Runs a prepared statement; `values` in the order of `parameters`. Rows come back native: JSON parsed, integers and
   * decimals as numbers, times as ISO 8601 text in UTC. Throws a Fault QRY_* and never a driver error. Its issues point at
   * columns (`/email`) or, where only the parameter is known, at that (`$1`, as `parameters` lists them). `last`: nothing
   * follows in this transaction, so it may be committed together with the statement; `commit` is still called. `asker`: who
   * waits for it, outside a transaction; inside, whoever began it does.
   */
  run(
    prepared: Prepared,
    values: readonly unknown[],
    transaction: Transaction | null,
    last?: boolean,
    asker?: Asker | null,
  ): Promise<readonly Row[]>;
  /** As `run` outside a transaction, for rows that nobody looks at: the text that JSON.stringify would give for them. */
  readonly render?: (
    prepared: Prepared,
    values: readonly unknown[],
    rendering: Rendering,
    asker?: Asker | null,
  ) => Promise<Rendered>;
  /** A transaction that cannot have what it needs fails and is `retryable`. */
  begin(need: Isolation, asker?: Asker | null): Promise<Transaction>;
  /** The level that `begin` gives, in words of the database. */
  isolation(need: Isolation): string;
  commit(transaction: Transaction): Promise<void>;
  /** Never throws: a connection that cannot roll back is thrown away. */
  rollback(transaction: Transaction): Promise<void>;
  /** True when the transaction failed for a reason that a second try may not meet (serialization, deadlock). */
  retryable(error: unknown): boolean;
}

/** Work of plugins on their own tables, whose statements lock what they need. */
export const BY_LOCKS: Isolation = { level: 'locks', among: false };
/** Several reading statements, as of one moment. */
export const SNAPSHOT: Isolation = { level: 'snapshot', among: false };
/** Whatever is read and written: the database finds out what met. */
export const SERIALIZABLE: Isolation = { level: 'serializable', among: true };

export const dialect = defineKind<Dialect>({
  kind: 'dialect',
  title: 'SQL dialect',
  summary: 'A SQL database that `sql_query` runs on, behind a named connection.',
  slots: ['config.connections'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'connections',
    doc: 'Named SQL connections. `main` is the one that queries use where neither they nor their models name another.',
    many: true,
    load: 'when-required',
    must: 'main',
    models: { references: true },
    default: ({ has }) => {
      if (has('DATABASE_URL')) return { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } };
      if (!has('MYSQL_URL')) return { main: { use: 'pglite' } };
      // For what is embedded and cannot lie in a MySQL; opened where something lies in it.
      return { main: { use: 'mysql', url: '$ENV.MYSQL_URL' }, [BESIDE_MYSQL]: { use: 'pglite' } };
    },
  },
  facts: {
    returning: { doc: 'The database has a RETURNING clause.', type: 'boolean', required: true },
    syntax: {
      doc: 'Whose SQL the database reads; statements are checked beforehand where it is `postgresql`.',
      type: 'string',
      required: false,
      oneOf: ['postgresql', 'mysql'],
    },
    reserved: {
      doc: 'Words, in small letters, that a name cannot be without quotes here although it may be on PostgreSQL.',
      type: 'list',
      required: false,
    },
    scratch: {
      doc: 'An empty one in the process can read statements of its syntax without running them.',
      type: 'boolean',
      required: false,
    },
    embedded: { doc: 'Runs inside the process; no server to install.', type: 'boolean', required: true },
  },
  handle: ['prepare', 'run', 'execute', 'begin', 'isolation', 'commit', 'rollback', 'retryable'],
  host: (fragment) => ({ file: 'config', json: { connections: { main: fragment } }, at: '/connections/main' }),
});
