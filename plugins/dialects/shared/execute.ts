/** Fixed SQL of plugins: prepared once per text, with bound values. */
import { scanSql } from '../../queries/sql/text/scan.js';
import type { Dialect, PreparedStatement, Statements, Transaction } from '../kind.js';

export function createExecutor(dialect: Pick<Dialect, 'prepare' | 'run'>): Statements['execute'] {
  const known = new Map<string, PreparedStatement>();
  return (text, values, transaction) => {
    let prepared = known.get(text);
    if (prepared === undefined) {
      prepared = dialect.prepare({ scan: scanSql(text), jsonColumns: values.map(() => false) });
      known.set(text, prepared);
    }
    return dialect.run(prepared, values, transaction as Transaction | null);
  };
}
