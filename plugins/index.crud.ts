/** Writes the resources of a table. Pure; loaded when it is asked for. */
export { createCrud, listOwners, type Crud, type TableInput } from './queries/sql/crud/crud.js';
