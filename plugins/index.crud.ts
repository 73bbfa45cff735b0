/** Writes the resources of a table. Pure; loaded when it is asked for. */
export { listOwners } from './queries/sql/crud/access.js';
export { createCrud, type Crud } from './queries/sql/crud/tests.js';
