/** The resources of a table, which a project owns afterwards, and their tests. Pure. */
import type { JsonObject } from '../../../../contract/json.js';
import { quoteIfNeeded } from '../../../../language/strings/sql-quotes.js';
import { findAccess, type Access, type AccessInput } from './access.js';
import { sortColumns } from './columns.js';
import { createResources, type CrudInput } from './resources.js';
import { createTests } from './tests.js';

export { listOwners } from './access.js';

export interface Crud {
  readonly access: Access;
  readonly resources: readonly JsonObject[];
  readonly tests: JsonObject;
}

export interface TableInput extends AccessInput, Pick<CrudInput, 'base'> {
  /** Words that the database of the table reserves, in lower case. */
  readonly reserved: ReadonlySet<string>;
}

/** A message if the owner is not certain or not possible. */
export function createCrud(input: TableInput): Crud | string {
  const access = findAccess(input);
  if (typeof access === 'string') return access;
  const { table, tables, base, reserved } = input;
  const quote = (name: string): string => quoteIfNeeded(name, reserved);
  const made = { crud: sortColumns(table, access.owner), base, quote, guard: access.guard };
  return { access, resources: createResources(made), tests: createTests({ ...made, tables }) };
}
