/** Writes a migration for MySQL and MariaDB, one statement per change, because table changes cannot be rolled back there. */
import type { Change, TypedColumn } from '../shared/changes.js';
import type { Ddl } from '../shared/known.js';

export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

const list = (names: readonly string[]): string => names.map(quote).join(', ');

/** AUTO_INCREMENT must be the first column of a key; it gets its own unless it leads the primary key. */
function columnText({ column, type }: TypedColumn, nullable: boolean, keyed: boolean): string {
  const counter = column.autoIncrement && column.type === 'integer';
  const tail = counter ? ` AUTO_INCREMENT${keyed ? '' : ' UNIQUE'}` : '';
  return `${quote(column.name)} ${type}${nullable && !counter ? ' NULL' : ' NOT NULL'}${tail}`;
}

function createTable(table: string, columns: readonly TypedColumn[], collation: string): string {
  const keys = columns.filter(({ column }) => column.primaryKey).map(({ column }) => column.name);
  const texts = columns.map((one) =>
    columnText(one, one.column.nullable && !one.column.primaryKey, keys[0] === one.column.name),
  );
  const parts = keys.length > 0 ? [...texts, `PRIMARY KEY (${list(keys)})`] : texts;
  return `CREATE TABLE ${quote(table)} (${parts.join(', ')}) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`;
}

/** The part after `ALTER TABLE name`. */
function alteration(change: Exclude<Change, { change: 'create-table' }>): string {
  switch (change.change) {
    case 'add-column':
      return `ADD COLUMN ${columnText(change, true, false)}`;
    case 'add-index':
      return `ADD INDEX ${quote(change.name)} (${quote(change.column)})`;
    case 'add-unique':
      return `ADD UNIQUE INDEX ${quote(change.name)} (${list(change.columns)})`;
    case 'add-search':
      return `ADD FULLTEXT INDEX ${quote(change.name)} (${quote(change.column)})`;
    case 'add-length':
      return `ADD CONSTRAINT ${quote(change.name)} CHECK (char_length(${quote(change.column)}) <= ${change.length})`;
    case 'add-foreign': {
      const { table, column } = change.target;
      return `ADD CONSTRAINT ${quote(change.name)} FOREIGN KEY (${quote(change.column)}) REFERENCES ${quote(table)} (${quote(column)})`;
    }
    case 'set-type':
      return `MODIFY COLUMN ${columnText(change, change.nullable, true)}`;
    case 'set-nullable':
      return `MODIFY COLUMN ${columnText(change, change.nullable, true)}`;
    case 'drop-unique':
      return `DROP INDEX ${quote(change.name)}`;
    case 'drop-foreign':
      return `DROP FOREIGN KEY ${quote(change.name)}`;
    case 'drop-length':
      return `DROP CONSTRAINT ${quote(change.name)}`;
    case 'drop-column':
      return `DROP COLUMN ${quote(change.column)}`;
  }
}

export const writeDdl = (changes: readonly Change[], collation: string): Ddl[] =>
  changes.map((change) => ({
    table: change.table,
    sql:
      change.change === 'create-table'
        ? createTable(change.table, change.columns, collation)
        : `ALTER TABLE ${quote(change.table)} ${alteration(change)}`,
  }));
