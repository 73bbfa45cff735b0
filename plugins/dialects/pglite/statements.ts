/**
 * Executes the statements of definitions. The engine's `query` parses and plans a statement each time, and sends six messages for it: 4 times
 * the processor time for a row by key. `_runExclusiveTransaction` is the queue of
 * transactions, which `query` uses too.
 */
import type { PGlite } from '@electric-sql/pglite';
import type { Requester } from '../../../contract/requester.js';
import type { ResultLimits } from '../../shared/results.js';
import type { Row } from '../kind.js';
import { isStale } from '../shared/errors.js';
import { NO_ROWS, type RowShape } from '../shared/wire-rows.js';
import type { WireText } from '../shared/wire-text.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { PORTION, ResultReader, type Protocol } from './bounded-results.js';

const MOST = 500;

type Values = readonly (string | null)[];
type Named = Pick<PostgresPreparedStatement, 'name' | 'text'>;

export const BEGIN: Named = { name: 'lintel_begin', text: 'BEGIN' };
export const COMMIT: Named = { name: 'lintel_commit', text: 'COMMIT' };
export const ROLLBACK: Named = { name: 'lintel_rollback', text: 'ROLLBACK' };

/** What is sent before and after a statement; `alone`: outside a transaction. */
interface Sending {
  readonly alone?: boolean;
  readonly before?: Named | null;
  readonly after?: Named | null;
  readonly text?: WireText | null;
}

export interface StatementResult {
  /** Empty if a text has received them. */
  readonly rows: Row[];
  readonly json: Uint8Array | null;
}

export interface EngineStatements {
  run(statement: Named, values: Values, requester: Requester | null, text?: WireText | null): Promise<StatementResult>;
  /** For the holder of the engine. */
  runInside(statement: Named, values: Values, requester: Requester | null, sending: Sending): Promise<StatementResult>;
  /** Others wait until the returned function is called. */
  hold(): Promise<() => void>;
  /** Waits for the current statement, not for the transaction around it. */
  ping(): Promise<unknown>;
  /** After a change of tables, statements may return other columns. */
  closeAll(): void;
}

export function createStatements(db: PGlite, { Parser, serialize }: Protocol, limits: ResultLimits): EngineStatements {
  const parser = new Parser();
  const portion = serialize.execute({ rows: PORTION });
  const sync = serialize.sync();
  const known = new Map<string, RowShape>();
  const outdated = new Set<string>();

  function markOutdated(name: string): void {
    known.delete(name);
    outdated.add(name);
  }

  function addCommand(parts: Uint8Array[], { name, text }: Named): void {
    if (!known.has(name)) parts.push(serialize.parse({ name, text }));
    known.set(name, NO_ROWS);
    parts.push(serialize.bind({ statement: name }), serialize.execute({}));
  }

  function createMessages({ name, text }: Named, values: Values, before: Named | null): Uint8Array {
    const isNew = !known.has(name);
    const parts = Array.from(outdated, (old) => serialize.close({ type: 'S', name: old }));
    outdated.clear();
    if (before !== null) addCommand(parts, before);
    if (isNew) parts.push(serialize.parse({ name, text }));
    parts.push(serialize.bind({ statement: name, values: [...values] }));
    if (isNew) parts.push(serialize.describe({ type: 'P' }));
    return Buffer.concat([...parts, portion]);
  }

  function createEnd(after: Named | null): Uint8Array {
    if (after === null) return sync;
    const parts: Uint8Array[] = [];
    addCommand(parts, after);
    return Buffer.concat([...parts, sync]);
  }

  async function execute(
    statement: Named,
    values: Values,
    requester: Requester | null,
    { alone = false, before = null, after = null, text = null }: Sending,
  ): Promise<StatementResult> {
    const shape = known.get(statement.name);
    const reader = new ResultReader(parser, limits, requester, shape ?? NO_ROWS, text);
    const onRawData = (bytes: Uint8Array): void => reader.read(bytes);
    let sent = createMessages(statement, values, before);
    try {
      do {
        reader.isSuspended = false;
        await db.execProtocolRawStream(sent, { syncToFs: false, onRawData });
        sent = portion;
      } while (reader.isSuspended);
    } finally {
      const isDone = reader.error === null && reader.refusal === null;
      await db.execProtocolRawStream(createEnd(isDone ? after : null), {
        syncToFs: alone || after !== null,
        onRawData,
      });
    }
    const { rows, error, refusal } = reader.close();
    if (error !== null && (shape === undefined || isStale(error))) markOutdated(statement.name);
    else if (shape === undefined) recordShape(statement.name, reader.shape ?? NO_ROWS);
    if (refusal !== null) throw refusal;
    if (error !== null) throw error;
    // The page of the text belongs to the next statement afterwards.
    return { rows, json: text?.close() ?? null };
  }

  function recordShape(name: string, shape: RowShape): void {
    known.set(name, shape);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) markOutdated(oldest);
  }

  function runInside(
    ...[statement, values, requester, sending]: Parameters<EngineStatements['runInside']>
  ): Promise<StatementResult> {
    const send = (): Promise<StatementResult> => execute(statement, values, requester, sending);
    return db.runExclusive(() =>
      send().catch((error: unknown) => {
        // Nothing has run.
        if (sending.alone === true && isStale(error)) return send();
        throw error;
      }),
    );
  }

  return {
    runInside,
    run: (statement, values, requester, text = null) =>
      db._runExclusiveTransaction(() => runInside(statement, values, requester, { alone: true, text })),

    hold: () =>
      new Promise((resolve, reject) => {
        db._runExclusiveTransaction(() => new Promise<void>((release) => resolve(release))).catch(reject);
      }),

    ping: () => db.runExclusive(() => db.execProtocolRaw(sync)),

    closeAll() {
      for (const name of known.keys()) outdated.add(name);
      known.clear();
    },
  };
}
