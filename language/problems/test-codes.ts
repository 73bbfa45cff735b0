/** Codes about test files. Data only. */
import { defineProblem } from './define.js';

export const TEST_CODES = {
  TST_DUPLICATE: defineProblem(
    'warning',
    'Two cases of one name',
    'Another case of this file is named "{name}" too.',
    'Reports and `--filter` name cases; give each its own name.',
  ),
  TST_IDENTIFIER: defineProblem(
    'error',
    'Identifier that the generator does not create',
    '{generator} does not create {value}; write {length} characters of the form `{pattern}`.',
    'Identifiers of tests have the form of those that the generator creates.',
  ),
  TST_NEEDED: defineProblem(
    'warning',
    'Required columns missing in a test',
    'This row has no value for {columns}, required by the model "{model}".',
    'Add the columns, or make the fields `optional`.',
  ),
  TST_REFERENCE: defineProblem(
    'error',
    'Row of a foreign key missing in a test',
    'No row of "{table}" has the {key} {value}, to which "{column}" refers; add it to `given`.{hint}',
    'The database rejects a row whose foreign key refers to no other row.',
  ),
  TST_UNCONNECTED: defineProblem(
    'error',
    'Unknown WebSocket client',
    'No earlier step of the case connects the client "{name}".{hint}',
    'Add a step such as `{"connect": {"client": "screen"}}` before this one.',
  ),
  TST_UNSAVED: defineProblem(
    'error',
    'Value not saved',
    '"$SAVED.{name}" is read here, but no earlier step of the case saves it.{hint}',
    '`save` of a step names values of its response for later steps; `values` of `given` has long ones.',
  ),
  TST_VALUE: defineProblem(
    'error',
    'Value that the column cannot have',
    'The column "{column}" is of the type {type} and cannot be {actual}; write {right}.',
    'Values of tests have the types of the model; those in `expect`, `where` and `delete` are compared with rows as they are read.',
  ),
} as const;
