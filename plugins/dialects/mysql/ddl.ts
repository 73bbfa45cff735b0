/** Writes a migration for MySQL and MariaDB, one statement per change: they cannot be rolled back there. */
import type { TableChange, TypedColumn } from '../shared/changes.js';
import type { Ddl } from '../shared/migration-types.js';

export const quoteMysqlName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

const quoteNames = (names: readonly string[]): string => names.map(quoteMysqlName).join(', ');

/** AUTO_INCREMENT must lead a key; it gets its own unless it leads the primary key. */
function formatColumn({ column, type }: TypedColumn, nullable: boolean, keyed: boolean): string {
  const counter = column.autoIncrement && column.type === 'integer';
  const tail = counter ? ` AUTO_INCREMENT${keyed ? '' : ' UNIQUE'}` : '';
  return `${quoteMysqlName(column.name)} ${type}${nullable && !counter ? ' NULL' : ' NOT NULL'}${tail}`;
}

function createTable(table: string, columns: readonly TypedColumn[], collation: string): string {
  const keys = columns.filter(({ column }) => column.primaryKey).map(({ column }) => column.name);
  const texts = columns.map((one) =>
    formatColumn(one, one.column.nullable && !one.column.primaryKey, keys[0] === one.column.name),
  );
  const parts = keys.length > 0 ? [...texts, `PRIMARY KEY (${quoteNames(keys)})`] : texts;
  return `CREATE TABLE ${quoteMysqlName(table)} (${parts.join(', ')}) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`;
}

/** The part after `ALTER TABLE name`. */
function formatAlteration(change: Exclude<TableChange, { change: 'create-table' }>): string {
  switch (change.change) {
    case 'add-column':
      return `ADD COLUMN ${formatColumn(change, true, false)}`;
    case 'add-index':
      return `ADD INDEX ${quoteMysqlName(change.name)} (${quoteMysqlName(change.column)})`;
    case 'add-unique':
      return `ADD UNIQUE INDEX ${quoteMysqlName(change.name)} (${quoteNames(change.columns)})`;
    case 'add-search':
      return `ADD FULLTEXT INDEX ${quoteMysqlName(change.name)} (${quoteMysqlName(change.column)})`;
    case 'add-length':
      return `ADD CONSTRAINT ${quoteMysqlName(change.name)} CHECK (char_length(${quoteMysqlName(change.column)}) <= ${change.length})`;
    case 'add-foreign': {
      const { table, column } = change.target;
      return `ADD CONSTRAINT ${quoteMysqlName(change.name)} FOREIGN KEY (${quoteMysqlName(change.column)}) REFERENCES ${quoteMysqlName(table)} (${quoteMysqlName(column)})`;
    }
    case 'set-type':
      return `MODIFY COLUMN ${formatColumn(change, change.nullable, true)}`;
    case 'set-nullable':
      return `MODIFY COLUMN ${formatColumn(change, change.nullable, true)}`;
    case 'drop-unique':
      return `DROP INDEX ${quoteMysqlName(change.name)}`;
    case 'drop-foreign':
      return `DROP FOREIGN KEY ${quoteMysqlName(change.name)}`;
    case 'drop-length':
      return `DROP CONSTRAINT ${quoteMysqlName(change.name)}`;
    case 'drop-column':
      return `DROP COLUMN ${quoteMysqlName(change.column)}`;
  }
}

export const writeMysqlDdl = (changes: readonly TableChange[], collation: string): Ddl[] =>
  changes.map((change) => ({
    table: change.table,
    sql:
      change.change === 'create-table'
        ? createTable(change.table, change.columns, collation)
        : `ALTER TABLE ${quoteMysqlName(change.table)} ${formatAlteration(change)}`,
  }));
