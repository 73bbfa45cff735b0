/** Transactions of SQL statements: consecutive statements on one connection share one, planned at load. */
import type { IsolationNeed, Unit } from '../../../contract/plan.js';
import { BY_LOCKS, dialect, type Dialect, type Isolation, type Transaction } from '../../dialects/kind.js';
import type { SqlStatement, FusedStatement } from './statement.js';
import { fuseStatements } from './together.js';

/** The unit is the transaction handle itself. */
const returnUnit = (unit: unknown): unknown => unit;

export interface SqlUnit extends Unit {
  readonly statements: readonly SqlStatement[];
  readonly need: IsolationNeed | null;
}

/** `need`: null where it is unknown, or where each statement is independent. */
export function createSqlUnit(
  connection: Dialect,
  name: string,
  statements: readonly SqlStatement[],
  need: IsolationNeed | null,
  fused: FusedStatement | null = null,
): SqlUnit {
  const isolation = toIsolation(need);
  return {
    key: `transaction on ${name}`,
    shared: { kind: dialect.kind, handle: connection, of: returnUnit },
    statements,
    need,
    describe: {
      isolation: connection.isolation(isolation),
      ...(need !== null && { why: need.why }),
      ...(fused !== null && { at_once: fused.text }),
    },
    join(units, closing, _needs, places) {
      const joined = units as readonly SqlUnit[];
      const all = joined.flatMap((unit) => unit.statements);
      const last = all.at(-1);
      if (last !== undefined) last.last = closing;
      const [first] = all;
      const isPair = closing && all.length === 2 && joined.length === 2;
      const fused =
        first !== undefined && last !== undefined && isPair ? fuseStatements(connection, [first, last], places) : null;
      if (first !== undefined) first.fused = fused;
      return createSqlUnit(connection, name, all, mergeNeeds(joined), fused);
    },
    open: (frame) => connection.begin(isolation, frame),
    commit: (transaction) => connection.commit(transaction as Transaction),
    rollback: (transaction) => connection.rollback(transaction as Transaction),
    retryable: (error) => connection.retryable(error),
  };
}

/** A single statement only waits for rows; an enqueued job may join it. */
const toIsolation = (need: IsolationNeed | null): Isolation =>
  need === null ? BY_LOCKS : { level: need.level === 'statement' ? 'locks' : need.level, among: need.among };

const LEVELS: readonly IsolationNeed['level'][] = ['statement', 'locks', 'snapshot', 'serializable'];

function mergeNeeds(units: readonly SqlUnit[]): IsolationNeed | null {
  const needs = units.flatMap(({ need }) => need ?? []);
  const [first] = [...needs].sort((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level));
  return first === undefined ? null : { ...first, among: needs.some(({ among }) => among) };
}
