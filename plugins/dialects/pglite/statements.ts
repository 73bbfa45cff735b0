/**
 * Executes statements; an exchange with the engine is synchronous. Its `query` parses a statement each time: 4 times the processor time
 * for a row by key.
 */
import type { PGlite } from '@electric-sql/pglite';
import { createLimiter } from '../../../contract/limiter.js';
import type { Requester } from '../../../contract/requester.js';
import type { ResultLimits } from '../../shared/results.js';
import type { Row } from '../kind.js';
import { isStale } from '../shared/errors.js';
import { NO_ROWS, type RowShape } from '../shared/wire-rows.js';
import type { WireText } from '../shared/wire-text.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { PORTION, ResultReader, type Protocol } from './bounded-results.js';
import { MessageWriter } from './messages.js';

const MOST = 500;

type Values = readonly (string | null)[];
type Named = Pick<PostgresPreparedStatement, 'name' | 'text'> & {
  readonly readOnly?: boolean;
  readonly insert?: boolean;
};

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
  /** Waits for no transaction. */
  checkEngine(): Promise<unknown>;
  /** After a change of tables, statements may return other columns. */
  closeAll(): void;
}

interface KnownStatement {
  readonly shape: RowShape;
  /** A result had more than one portion. */
  readonly isLong: boolean;
}

export function createStatements(db: PGlite, { Parser, serialize }: Protocol, limits: ResultLimits): EngineStatements {
  const parser = new Parser();
  const writer = new MessageWriter();
  const portion = serialize.execute({ rows: PORTION });
  const sync = serialize.sync();
  const all = serialize.execute({});
  const describe = serialize.describe({ type: 'P' });
  const known = new Map<string, KnownStatement>();
  const outdated = new Set<string>();
  const lock = createLimiter(1, Infinity, () => new Error('closed'));
  // Other methods of the engine wait here too.
  db._runExclusiveTransaction = (work) => lock.run(work);

  function markOutdated(name: string): void {
    known.delete(name);
    outdated.add(name);
  }

  function addCommand({ name, text }: Named): void {
    if (!known.has(name)) writer.add(serialize.parse({ name, text }));
    known.set(name, { shape: NO_ROWS, isLong: false });
    writer.addBind(name).add(all);
  }

  function addStatement({ name, text }: Named, values: Values, before: Named | null): void {
    const isNew = !known.has(name);
    for (const old of outdated) writer.add(serialize.close({ type: 'S', name: old }));
    outdated.clear();
    if (before !== null) addCommand(before);
    if (isNew) writer.add(serialize.parse({ name, text }));
    writer.addBind(name, values);
    if (isNew) writer.add(describe);
  }

  /** The promise matters only if the engine has failed. */
  function send(reader: ResultReader): Promise<void> {
    reader.isSuspended = false;
    const sent = db.execProtocolRawStream(writer.takeMessage(), {
      syncToFs: false,
      onRawData: (bytes) => reader.read(bytes),
    });
    sent.catch(() => undefined);
    return sent;
  }

  /** Outside a transaction, the end of an exchange ends the result: a longer read begins again. */
  function exchangeMessages(
    statement: Named,
    values: Values,
    reader: ResultReader,
    { alone = false, before = null, after = null }: Sending,
  ): Promise<void> {
    const { name, insert = false, readOnly = false } = statement;
    const isSingle = after === null && (!alone || insert || (readOnly && known.get(name)?.isLong !== true));
    writer.begin();
    addStatement(statement, values, before);
    writer.add(alone && insert ? all : portion);
    if (isSingle) writer.add(sync);
    let sent = send(reader);
    while (reader.isSuspended && !(alone && isSingle)) {
      writer.begin().add(portion);
      if (isSingle) writer.add(sync);
      sent = send(reader);
    }
    if (isSingle) return sent;
    writer.begin();
    if (after !== null && reader.error === null && reader.refusal === null) addCommand(after);
    writer.add(sync);
    return send(reader);
  }

  async function execute(
    statement: Named,
    values: Values,
    requester: Requester | null,
    sending: Sending,
  ): Promise<StatementResult> {
    const { name } = statement;
    const { text = null } = sending;
    const before = known.get(name);
    const createReader = (): ResultReader =>
      new ResultReader(parser, limits, requester, known.get(name)?.shape ?? NO_ROWS, text);
    let reader = createReader();
    let sent = exchangeMessages(statement, values, reader, sending);
    if (before === undefined && reader.error === null) recordStatement(name, reader.shape ?? NO_ROWS);
    if (reader.isSuspended) {
      known.set(name, { shape: reader.shape ?? NO_ROWS, isLong: true });
      reader.close();
      reader = createReader();
      sent = exchangeMessages(statement, values, reader, sending);
    }
    if (!reader.isReady) await sent;
    const { rows, error, refusal } = reader.close();
    if (error !== null && (before === undefined || isStale(error))) markOutdated(name);
    if (refusal !== null) throw refusal;
    if (error !== null) throw error;
    // The page of the text belongs to the next statement afterwards.
    return { rows, json: text?.close() ?? null };
  }

  function recordStatement(name: string, shape: RowShape): void {
    known.set(name, { shape, isLong: false });
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) markOutdated(oldest);
  }

  async function runInside(
    ...[statement, values, requester, sending]: Parameters<EngineStatements['runInside']>
  ): Promise<StatementResult> {
    try {
      return await execute(statement, values, requester, sending);
    } catch (error) {
      // Nothing has run.
      if (sending.alone === true && isStale(error)) return execute(statement, values, requester, sending);
      throw error;
    }
  }

  return {
    runInside,
    run: (statement, values, requester, text = null) =>
      lock.run(() => runInside(statement, values, requester, { alone: true, text })),

    hold: async () => {
      const release = await lock.acquire();
      return () => release();
    },

    checkEngine: () => db.runExclusive(() => db.execProtocolRaw(sync)),

    closeAll() {
      for (const name of known.keys()) outdated.add(name);
      known.clear();
    },
  };
}
