/** Codes about definition files, test files and the config file. Data only. */
import { defineProblem, defineUnknown, withCause } from './define.js';

export const DEFINITION_CODES = {
  SRC_UNREADABLE: defineProblem(
    'error',
    'File cannot be read',
    'This file cannot be read: {what}.',
    'Check that the file exists, is readable and is UTF-8 text.',
  ),
  SRC_EMPTY: defineProblem(
    'error',
    'Empty file',
    'This file contains no definition.',
    'Write a resource or a model, or delete the file.',
  ),
  SRC_SYNTAX: defineProblem(
    'error',
    'Not JSON',
    'Not valid JSON: {what}.',
    'Definitions are JSON; comments and trailing commas are allowed.',
  ),
  SRC_DUPLICATE_KEY: defineProblem(
    'error',
    'Duplicate key',
    '"{key}" is written twice in this object; parsers disagree about which value applies.',
    'Keep one of the two.',
  ),
  SRC_TOO_DEEP: defineProblem(
    'error',
    'Nested too deeply',
    'Nested more than {max} levels deep.',
    'Flatten the definition.',
  ),
  DEF_NO_KIND: defineProblem(
    'error',
    'Neither resource nor model',
    'This is neither a resource (no "resource") nor a model (the name "{name}" does not begin with "_").',
    'A resource has `id`, `resource` and `actionables`. A model file is named `_name.json`, or is one object `{"_name": {...}}`.',
  ),
  DEF_TYPE: defineProblem(
    'error',
    'Wrong type',
    '{place} must be {expected}, not {actual}.{hint}',
    'Types are never converted: `"5"` is not a number.',
  ),
  DEF_REQUIRED: defineProblem(
    'error',
    'Missing field',
    '{place} needs "{field}".',
    'Add the field; its page in the reference says what it takes.',
  ),
  DEF_EMPTY: defineProblem(
    'error',
    'Empty text',
    '{place} must not be empty.',
    'Write a value or leave the field out.',
  ),
  DEF_UNKNOWN_KEY: withCause(
    defineUnknown(
      'Unknown field',
      '"{key}" is not a field of {place}.{hint}',
      'Unknown fields are errors, because a misspelt guard would have no effect.',
    ),
    'key',
    'place',
  ),
  DEF_INVENTED: withCause(
    defineProblem(
      'error',
      'Invented field',
      '"{key}" is not a field of {place}; {right}.',
      'The message has the form to write.',
    ),
    'key',
    'place',
  ),
  DEF_MISPLACED: defineUnknown(
    'Field in the wrong place',
    '"{key}" is not a field of {place}; it belongs {where}.',
    'Move the field, with its value, to the place named.',
  ),
  DEF_MODEL_FORM: defineProblem(
    'error',
    'Model has the wrong form',
    'A model is an object from field name to field, without {what}: write {right}.',
    'The model is named by its file, or by the one key around the fields.',
  ),
  DEF_VALUE: defineProblem(
    'error',
    'Value not allowed',
    '{actual} is not allowed for {place}; it takes {expected}.{hint}',
    'Use one of the values listed.',
  ),
  DEF_RANGE: defineProblem(
    'error',
    'Out of range',
    '{place} must be {expected}; it is {actual}.',
    'Choose a value inside the range.',
  ),
  DEF_FORMAT: defineProblem(
    'error',
    'Wrong form',
    '{place} has the wrong form: {expected}.',
    'See the examples of the field.',
  ),
  DEF_UNKNOWN_PLUGIN: withCause(
    defineUnknown(
      'Unknown plugin name',
      'There is no {kind} "{name}".{hint}',
      'The config file lists the enabled plugins.',
    ),
    'kind',
    'name',
  ),
  DEF_CHOICE_MISSING: defineUnknown(
    'No alternative chosen',
    '{place} needs one of {expected}.',
    'Add exactly one of them.',
  ),
  DEF_CHOICE_MANY: defineProblem(
    'error',
    'Too many alternatives',
    '{place} takes only one of {expected}.',
    'Keep one and remove the others.',
  ),
  DEF_DEPRECATED: defineProblem(
    'warning',
    'Deprecated',
    '{place} is deprecated: {what}.',
    'Use the replacement named in the message.',
    'deprecated',
  ),
  DEF_HEADER: defineProblem(
    'error',
    'Header that cannot be set',
    'The header "{name}" cannot be set: {what}.',
    'Leave it out, or correct its name.',
  ),
  ACC_UNKNOWN_ROOT: withCause(
    defineUnknown(
      'Unknown accessor',
      '"${root}" is not an accessor.{hint}',
      '`$` before an upper-case word always names an accessor.',
    ),
    'root',
  ),
  ACC_TAIL: defineProblem('error', 'Accessor is incomplete', '"{accessor}" {what}.', 'See the page of the accessor.'),
  ACC_NOT_HERE: defineProblem(
    'error',
    'Accessor not allowed here',
    '"${root}" may not be used in {place}; allowed: {expected}.',
    'This value is resolved at load or sent out of the service; the accessor cannot be used for that.',
  ),
  ACC_UNDECLARED: defineProblem(
    'error',
    'Claim not extracted',
    '"{accessor}" is read here, but this resource does not list "{name}" in `extract_claims`.{hint}',
    'Claims can be read if `protected` verifies a token and `extract_claims` lists them.',
  ),
  ACC_POISON: defineProblem(
    'error',
    'Reserved name',
    '"{segment}" may not be part of a path.',
    'The name accesses JavaScript internals. Rename the field.',
  ),
  ENV_MISSING: withCause(
    defineProblem(
      'error',
      'Missing environment variable',
      'The environment variable "{name}" is not set.{hint}',
      'Set it, or add it to `.env`.',
    ),
    'name',
  ),
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
