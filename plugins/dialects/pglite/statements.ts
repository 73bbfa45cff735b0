/**
 * Executes the statements of definitions. The engine's `query` parses and plans a statement each time, and sends six messages for it: 4 times
 * the processor time for a row by key. `_runExclusiveTransaction` waits for a transaction, as `query` does.
 */
import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Requester } from '../../../contract/requester.js';
import type { ResultLimits } from '../../shared/results.js';
import type { Row } from '../kind.js';
import { isStale } from '../shared/errors.js';
import { NO_ROWS, type RowShape } from '../shared/rows.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { PORTION, ResultReader, type Protocol } from './bounded-results.js';

/** The engine keeps some kilobytes for each. */
const MOST = 500;

type Values = readonly (string | null)[];
type Named = Pick<PostgresPreparedStatement, 'name' | 'text'>;

export interface EngineStatements {
  /** `inner`: the open transaction. */
  run(statement: Named, values: Values, requester: Requester | null, inner?: Transaction): Promise<Row[]>;
  /** After a change of tables, statements may return other columns. */
  closeAll(): void;
}

export function createStatements(db: PGlite, { Parser, serialize }: Protocol, limits: ResultLimits): EngineStatements {
  const parser = new Parser();
  const portion = serialize.execute({ rows: PORTION });
  const sync = serialize.sync();
  const known = new Map<string, RowShape>();
  /** Closed before the next statement. */
  const outdated = new Set<string>();

  function markOutdated(name: string): void {
    known.delete(name);
    outdated.add(name);
  }

  function createMessages({ name, text }: Named, values: Values, isNew: boolean): Uint8Array {
    const parts = Array.from(outdated, (old) => serialize.close({ type: 'S', name: old }));
    outdated.clear();
    if (isNew) parts.push(serialize.parse({ name, text }));
    parts.push(serialize.bind({ statement: name, values: [...values] }));
    if (isNew) parts.push(serialize.describe({ type: 'P' }));
    return Buffer.concat([...parts, portion]);
  }

  async function execute(
    statement: Named,
    values: Values,
    requester: Requester | null,
    alone: boolean,
  ): Promise<Row[]> {
    const shape = known.get(statement.name);
    const reader = new ResultReader(parser, limits, requester, shape ?? NO_ROWS);
    const onRawData = (bytes: Uint8Array): void => reader.read(bytes);
    let sent = createMessages(statement, values, shape === undefined);
    try {
      do {
        reader.isSuspended = false;
        await db.execProtocolRawStream(sent, { syncToFs: false, onRawData });
        sent = portion;
      } while (reader.isSuspended);
    } finally {
      await db.execProtocolRawStream(sync, { syncToFs: alone, onRawData });
    }
    const { rows, error, refusal } = reader.close();
    if (error !== null && (shape === undefined || isStale(error))) markOutdated(statement.name);
    else if (shape === undefined) recordShape(statement.name, reader.shape ?? NO_ROWS);
    if (refusal !== null) throw refusal;
    if (error !== null) throw error;
    return rows;
  }

  function recordShape(name: string, shape: RowShape): void {
    known.set(name, shape);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) markOutdated(oldest);
  }

  const executeAlone = async (statement: Named, values: Values, requester: Requester | null): Promise<Row[]> => {
    try {
      return await execute(statement, values, requester, true);
    } catch (error) {
      // Nothing has run.
      if (!isStale(error)) throw error;
      return execute(statement, values, requester, true);
    }
  };

  return {
    run: (statement, values, requester, inner) =>
      inner === undefined
        ? db._runExclusiveTransaction(() => db.runExclusive(() => executeAlone(statement, values, requester)))
        : db.runExclusive(async () => {
            if (inner.closed) throw new Error('the transaction is over');
            return execute(statement, values, requester, false);
          }),

    closeAll() {
      for (const name of known.keys()) outdated.add(name);
      known.clear();
    },
  };
}
