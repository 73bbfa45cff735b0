/**
 * Codes about what stands inside the strings of definitions: accessors, templates, SQL, secrets, and names that nobody
 * declares or uses. Data only.
 */
import { problem } from './rows.js';

export const TEXT_CODES = {
  ACC_INVENTED: problem(
    'error',
    'Invented accessor',
    '"{accessor}" is not an accessor; {right}.',
    'The message has the form to write.',
  ),
  ACC_DASH: problem(
    'warning',
    'Dash in a name',
    '"{accessor}" reads a field called "{name}"; a dash is part of a name, and only "{near}" is declared.',
    'Accessors do not calculate. Correct the name, or calculate in the query.',
  ),
  ACC_SIGN: problem(
    'error',
    'Sign that belongs to the name',
    '"{accessor}" ends in a sign that is part of the name: no request has a value called "{name}". Write "{right}".',
    'Letters, digits, `_` and `-` belong to a name. Put a sign between two values that does not, such as `:` or `/`.',
  ),
  ACC_INDEX: problem(
    'error',
    'Index in brackets',
    '"{accessor}" is read, and "{rest}" stays text behind it; write "{right}".',
    'An item of a list is a segment of the path: `items.0.sku`.',
  ),
  ACC_NOTHING_INSIDE: problem(
    'error',
    'Nothing inside',
    '"{accessor}" leads into "{name}", which is {what} and has nothing inside.',
    'A dot between letters goes on with the path. Text behind a value is kept apart by a sign that no name has.',
  ),
  ACC_NO_INDEX: problem(
    'error',
    'Item without an index',
    '"{accessor}" leads into the list "{name}" by "{segment}", which is no index.',
    'Name the item, counted from 0: `items.0.sku`.',
  ),
  ACC_ENDING: problem(
    'warning',
    'Ending of a file',
    '"{accessor}" reads a field "{ending}" inside "{name}"; it is not the value of "{name}" with an ending.',
    'A dot between letters goes on with the path, and a request without such a field is refused with 422.',
  ),
  ACC_KEY: problem(
    'error',
    'Accessor as the name of a field',
    '"{name}" is the name of a field here, and no value is put in its place.',
    'Accessors stand for values. A list of names and values is made by the query, or by the client.',
  ),
  TPL_VALUE: problem(
    'error',
    'Template of another language',
    '"{template}" is plain text here; write "{right}".',
    'A value that changes is written as an accessor.',
  ),
  TPL_TEXT: problem(
    'warning',
    'Template inside a text',
    '"{template}" stays in the text as it is; for a value of the request write "{right}".',
    'Accessors work inside longer texts. Text that is meant for another system may stay.',
  ),
  TPL_SQL: problem(
    'error',
    'Template inside SQL',
    '"{template}" means nothing inside SQL; write ${n} and put "{right}" into `{binds}`.',
    'Values never become part of the text of a statement: they are bound to its placeholders.',
  ),
  SQL_FOREIGN: problem(
    'error',
    'Placeholder of another language',
    '"{text}" is not a placeholder here; write ${n}, which takes entry {n} of `{binds}`.',
    'Placeholders are $1, $2, ... as PostgreSQL has them.',
  ),
  SQL_SYNTAX: problem(
    'error',
    'SQL cannot be parsed',
    'PostgreSQL cannot read this statement: {what}.',
    'The mistake is here, or shortly before.',
  ),
  SQL_REFUSED: problem(
    'error',
    'Statement refused by the database',
    'The database refuses this statement: {what}.{advice}',
    'The database has read the statement with the tables of the models and has not run it; a request would fail in the same way. ' +
      'Functions, types and views of your own stand in `migrations/*.sql`.',
  ),
  SQL_SCHEMA: problem(
    'error',
    'Change of the schema by a request',
    '"{what}" changes tables or rights of the database, and a request must not.',
    'Tables follow from the models; what models cannot say stands in `migrations/*.sql`. Rows are removed with DELETE.',
  ),
  SQL_SESSION: problem(
    'error',
    'Change of a shared connection',
    '"{what}" changes a connection that other requests use afterwards.',
    'Write `SET LOCAL`, `set_config(name, value, true)` or `pg_advisory_xact_lock`: they end with the transaction. Settings of ' +
      'all connections belong to the database or to the config.',
  ),
  SQL_TRANSACTION: problem(
    'error',
    'Transaction control in a statement',
    '"{what}" would end or begin the transaction that the kernel runs the statements of a request in.',
    'Adjacent statements on one connection are one transaction as they are. Leave the statement out.',
  ),
  SQL_EVERY_ROW: problem(
    'error',
    'Change of every row by any caller',
    'This {verb} has no WHERE, and the resource lets every caller in: one request changes every row of the table.',
    'Add a condition or a guard. `WHERE true` says that every row is meant.',
  ),
  SQL_FUNCTION: problem(
    'warning',
    'Function of another database',
    'PostgreSQL has no function "{name}"; write {right}.',
    'A function of that name that the database was given is found under its schema: `public.name(...)`.',
  ),
  SQL_TABLE: problem(
    'warning',
    'Table without a model',
    'There is no model for the table "{name}".{hint}',
    'Write a model, so that the table is made and its columns are checked; a table of others is written with its schema.',
  ),
  SQL_ALIAS: problem(
    'warning',
    'Unknown table name',
    'Nothing in this statement is called "{name}".{hint}',
    'A table that has an alias goes by that alone.',
  ),
  SQL_COLUMN: problem(
    'warning',
    'Unknown column',
    'There is no column "{name}" in {table}.{hint}',
    'The models say which columns a table has. Text is written in single quotes.',
  ),
  SQL_CASE: problem(
    'warning',
    'Name in lower case',
    'PostgreSQL reads this name as "{name}"; the field "{field}" is reached only in double quotes.',
    'Write names of fields in lower case with underscores; then no quotes are needed.',
  ),
  SQL_COUNT: problem(
    'error',
    'Columns and values differ',
    'The INSERT names {names} column(s) and gives {values} value(s).',
    'Give one value for each column.',
  ),
  SQL_UNTYPED: problem(
    'warning',
    'Parameter without a type',
    'Nothing tells the type of ${n} here, so PostgreSQL will refuse the statement.',
    'Write a cast: `$1::text`. Functions such as `concat` and tests such as `IS NULL` take anything and tell no type.',
  ),
  SQL_NEEDED: problem(
    'warning',
    'Required columns missing',
    'This INSERT gives no value for {columns}, which the model of "{table}" requires.',
    'Add the columns, or make the fields `optional`.',
  ),
  SQL_TYPE: problem(
    'error',
    'Value of another type',
    'The column "{column}" is of the type {type} and cannot take {actual}; write {right}.',
    'A cast in the statement says what is meant where the types differ.',
  ),
  SQL_RULE: problem(
    'warning',
    'Rule that does not fit the column',
    'The rule of "{name}" is {rule}, and the column "{column}" of the type {type}: {right}.',
    'What the rule lets through and the column cannot take is refused by the database only.',
  ),
  SQL_OPTIONAL: problem(
    'warning',
    'Optional field for a required column',
    'The field "{name}" may be absent, and the column "{column}" requires a value.',
    'Make the field required, make the column `optional`, or write COALESCE.',
  ),
  SQL_LONGER: problem(
    'hint',
    'Rule that lets longer text through',
    'The rule of "{name}" allows {most} characters, and the column "{column}" takes {longest}.',
    'With the bound of the column the request is refused before anything runs.',
  ),
  LNK_INVENTED: problem(
    'error',
    'Invented name',
    '"{name}" names nothing; {right}.',
    'The message has the form to write.',
  ),
  LNK_UNDECLARED: problem(
    'hint',
    'Field without a rule',
    '"{accessor}" reads a field that no rule of this resource declares.{hint}',
    'Add a rule, so that a request without the field is refused before anything runs.',
  ),
  LNK_RULE_UNUSED: problem(
    'hint',
    'Rule for a field that nothing uses',
    'Nothing in this resource uses the field "{name}".',
    'Use it or remove the rule.',
    'unnecessary',
  ),
  LNK_NAME_UNUSED: problem(
    'hint',
    'Name that nothing uses',
    'Nothing in this resource uses the name "{name}".',
    'Use it or remove the extraction.',
    'unnecessary',
  ),
  LNK_NOT_SELECTED: problem(
    'warning',
    'Value that the result does not have',
    'The result of {where} has no "{name}", so there is nothing to extract.{hint}',
    'Add the column to its select list or RETURNING list.',
  ),
  SEC_CLEAR: problem(
    'warning',
    'Secret in clear',
    '{place} holds a secret that everybody who reads this file can see; write "{form}".',
    'Put the value into the environment, or into `.env`, and change it: what was in a file is known.',
  ),
  SEC_SAMPLE: problem(
    'error',
    'Sample secret',
    '{place} is a secret from tutorials, which attackers try first; write "{form}".',
    'Make a random value and put it into the environment.',
  ),
  SEC_SHARED: problem(
    'error',
    'One secret for two purposes',
    '"{name}" is for {other} already, so {purpose} need a variable of their own.',
    'Whoever learns a secret in one of its uses could make what the other one accepts. Set a second variable.',
  ),
  SEC_NO_OWNER: problem(
    'warning',
    'Write without an owner',
    'Callers of this resource are verified, but this {verb} does not depend on who calls: any caller may change any row.',
    'Compare a column with a claim of the token. For a resource of administrators this may be meant.',
  ),
  ENV_BLANK: problem(
    'error',
    'Blank environment variable',
    'The environment variable "{name}" holds nothing but white space, and {place} is a secret.',
    'Set it to a random value.',
  ),
} as const;
