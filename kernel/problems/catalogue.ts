/**
 * Every code that the kernel itself reports or answers, as data: title, severity or status, words, what to do. Plugins
 * bring the codes of their own. `{name}` in a message stands for a parameter.
 */
import type { CodeEntry, Severity } from '../contract/problem.js';

const problem = (severity: Severity, title: string, message: string, help: string): CodeEntry => ({
  severity,
  title,
  message,
  help,
});
const refusal = (status: number, title: string, message: string, help: string): CodeEntry => ({
  status,
  title,
  message,
  help,
});

/** Found in definition files and in the config file. */
const DEFINITION_CODES = {
  SRC_UNREADABLE: problem(
    'error',
    'File cannot be read',
    'This file cannot be read: {what}.',
    'Check that the file exists, is readable and is UTF-8 text.',
  ),
  SRC_EMPTY: problem(
    'error',
    'Empty file',
    'This file holds no definition.',
    'Write a resource or a model, or delete the file.',
  ),
  SRC_SYNTAX: problem(
    'error',
    'Not JSON',
    'Not valid JSON: {what}.',
    'Definitions are JSON; comments and trailing commas are allowed.',
  ),
  SRC_DUPLICATE_KEY: problem(
    'error',
    'Duplicate key',
    '"{key}" is written twice in this object; readers would disagree about which one counts.',
    'Keep one of the two.',
  ),
  SRC_TOO_DEEP: problem('error', 'Nested too deeply', 'Nested more than {max} levels deep.', 'Flatten the definition.'),
  DEF_NO_KIND: problem(
    'error',
    'Neither resource nor model',
    'This is neither a resource (no "resource") nor a model (the name "{name}" does not begin with "_").',
    'A resource has `id`, `resource` and `actionables`. A model file is named `_name.json`, or is one object `{"_name": {...}}`.',
  ),
  DEF_TYPE: problem(
    'error',
    'Wrong type',
    '{place} must be {expected}, not {actual}.',
    'Types are never converted: `"5"` is not a number.',
  ),
  DEF_REQUIRED: problem(
    'error',
    'Missing field',
    '{place} needs "{field}".',
    'Add the field; its page in the reference says what it takes.',
  ),
  DEF_EMPTY: problem('error', 'Empty text', '{place} must not be empty.', 'Write a value or leave the field out.'),
  DEF_UNKNOWN_KEY: problem(
    'error',
    'Unknown field',
    '"{key}" is not a field of {place}.{hint}',
    'Unknown fields are refused, because a misspelt guard would silently not guard.',
  ),
  DEF_VALUE: problem(
    'error',
    'Value not allowed',
    '{actual} is not allowed for {place}; it takes {expected}.{hint}',
    'Use one of the values listed.',
  ),
  DEF_RANGE: problem(
    'error',
    'Out of range',
    '{place} must be {expected}; it is {actual}.',
    'Choose a value inside the range.',
  ),
  DEF_FORMAT: problem(
    'error',
    'Wrong form',
    '{place} has the wrong form: {expected}.',
    'See the examples of the field.',
  ),
  DEF_UNKNOWN_PLUGIN: problem(
    'error',
    'Unknown {kind}',
    'There is no {kind} "{name}".{hint}',
    'The config file says which plugins are enabled.',
  ),
  DEF_CHOICE_MISSING: problem(
    'error',
    'Nothing chosen',
    '{place} needs one of {expected}.',
    'Add exactly one of them.',
  ),
  DEF_CHOICE_MANY: problem(
    'error',
    'Too much chosen',
    '{place} takes only one of {expected}.',
    'Keep one and remove the others.',
  ),
  DEF_DEPRECATED: problem(
    'warning',
    'Deprecated',
    '{place} is deprecated: {what}.',
    'Use the replacement named in the message.',
  ),
  ACC_UNKNOWN_ROOT: problem(
    'error',
    'Unknown accessor',
    '"${root}" is not an accessor.{hint}',
    'A dollar sign before an upper-case word always names an accessor.',
  ),
  ACC_TAIL: problem('error', 'Accessor is incomplete', '"{accessor}" {what}.', 'See the page of the accessor.'),
  ACC_NOT_HERE: problem(
    'error',
    'Accessor not allowed here',
    '"${root}" may not be used in {place}; allowed: {expected}.',
    'What is written here is settled at load, or leaves the service; the accessor cannot be used for that.',
  ),
  ACC_POISON: problem(
    'error',
    'Reserved name',
    '"{segment}" may not be part of a path.',
    'The name would reach into the runtime. Rename the field.',
  ),
  LNK_DUPLICATE_ID: problem(
    'error',
    'Duplicate id',
    'The id "{name}" is already taken.',
    'Ids are unique in the whole set of definitions.',
  ),
  LNK_DUPLICATE_PATH: problem(
    'error',
    'Duplicate path',
    'The path "{name}" is already served by the resource "{other}".',
    'A path, and an id used as path, can belong to one resource only.',
  ),
  LNK_DUPLICATE_ACTION: problem(
    'error',
    'Duplicate actionable',
    'The actionable id {name} is already taken in this resource.',
    'Number the actionables of a resource differently.',
  ),
  LNK_DUPLICATE_MODEL: problem(
    'error',
    'Duplicate model',
    'The model "{name}" is already defined.',
    'Merge the two, or rename one.',
  ),
  LNK_UNKNOWN_RESOURCE: problem(
    'error',
    'Unknown resource',
    'There is no resource with the id "{name}".{hint}',
    '`self` names the resource itself; other resources are named by their `id`, not by their path.',
  ),
  LNK_UNKNOWN_ACTION: problem(
    'error',
    'Unknown actionable',
    'The resource "{resource}" has no actionable {name}; it has {expected}.',
    'Name an actionable by its numeric `id`.',
  ),
  LNK_UNKNOWN_MODEL: problem(
    'error',
    'Unknown model',
    'There is no model "{name}".{hint}',
    'A model may be called by its name, without the underscore, or in the plural.',
  ),
  LNK_UNKNOWN_FIELD: problem(
    'error',
    'Unknown field of a model',
    'The model "{model}" has no field "{name}".{hint}',
    'Name a field that the model defines.',
  ),
  LNK_CYCLE: problem(
    'error',
    'Circular dependency',
    'These actionables wait for one another: {cycle}.',
    'Remove one of the dependencies.',
  ),
  LNK_TABLE_NAMES: problem(
    'error',
    'Two names for one table',
    'The model "{model}" is called "{name}" here and "{other}" elsewhere.',
    'Use one name in all queries: the table can have only one.',
  ),
  LNK_TOO_EARLY: problem(
    'error',
    'Name used too early',
    '"{name}" is extracted by actionable {producer}, which does not run before actionable {user}.',
    'Extract the value in this actionable too, or use it in a later one.',
  ),
  LNK_TWO_SOURCES: problem(
    'warning',
    'Name with two sources',
    '"{name}" comes from {first} and also from {second}; {first} wins.',
    'Rename one of the two.',
  ),
  LNK_LITERAL: problem(
    'hint',
    'Literal parameter',
    '"{name}" names nothing in this resource, so it is the text "{name}".{hint}',
    'A name is a declared payload field, a `for` name, or a column of a table that the statement touches.',
  ),
  LNK_UNREACHABLE: problem(
    'warning',
    'Never runs',
    'This `no_op` actionable is named by no `depends_on`, so it never runs.',
    'Name it in `depends_on`, or remove it.',
  ),
  LNK_MAIN_TWICE: problem(
    'error',
    'Two main results',
    'Another actionable of this resource is already marked `main_returnable`.',
    'Mark one.',
  ),
  ENV_MISSING: problem(
    'error',
    'Missing environment variable',
    'The environment variable "{name}" is not set.{hint}',
    'Set it, or write it into `.env`.',
  ),
} as const;

/** Answered while a request runs. */
const REQUEST_CODES = {
  REQ_NOT_FOUND: refusal(
    404,
    'Not found',
    'There is nothing at this path.',
    'See the table of endpoints that the start prints.',
  ),
  REQ_METHOD: refusal(
    405,
    'Method not allowed',
    'This endpoint does not answer {method}.',
    "The config's `http.methods` lists the verbs.",
  ),
  REQ_MEDIA_TYPE: refusal(
    415,
    'Unsupported media type',
    'The content type must be application/json.',
    'Send the body as JSON with a `content-type` header.',
  ),
  REQ_ENCODING: refusal(
    415,
    'Unsupported content encoding',
    'Compressed request bodies are not accepted.',
    'Send the body as it is.',
  ),
  REQ_MALFORMED: refusal(
    400,
    'Malformed body',
    'The body is not valid JSON in UTF-8.',
    'Check the body with a JSON parser.',
  ),
  REQ_NAME_REFUSED: refusal(
    400,
    'Reserved name in body',
    'The body uses a reserved property name.',
    '`__proto__`, `constructor` and `prototype` are refused at every depth.',
  ),
  REQ_TOO_LARGE: refusal(
    413,
    'Body too large',
    'The body is larger than {max} bytes.',
    'The limit is `http.limits.body` (MAX_PAYLOAD_LIMIT).',
  ),
  REQ_TOO_COMPLEX: refusal(
    413,
    'Body too complex',
    'The body has too many {what}; at most {max} are accepted.',
    'The limits are `http.limits.depth`, `keys` and `array`.',
  ),
  REQ_ABORTED: refusal(
    400,
    'Body incomplete',
    'The request ended before its body was complete.',
    'Send as many bytes as `content-length` says.',
  ),
  REQ_URL_TOO_LONG: refusal(414, 'URL too long', 'The URL is longer than {max} bytes.', 'Send values in the body.'),
  VAL_PAYLOAD: refusal(
    422,
    'Payload not valid',
    'The payload breaks a rule: {first}',
    'Each entry of `errors` names a field and its rule.',
  ),
  VAL_NOT_OBJECT: refusal(
    422,
    'Payload not valid',
    'The body must be a JSON object.',
    'Send the fields as properties of one object.',
  ),
  ACC_UNRESOLVED: refusal(
    422,
    'Value missing',
    'The request does not provide {name}.',
    'Send the field, or declare it `optional` in `payload_validation`.',
  ),
  ACC_NOT_TEXT: refusal(
    422,
    'Value is not text',
    '{name} is put into a text and must be text, a number or a boolean.',
    'Send a plain value.',
  ),
  KRN_UNAVAILABLE: refusal(
    503,
    'Unavailable',
    'The service is not ready.',
    'Try again after the time in `retry-after`.',
  ),
  INT_UNEXPECTED: refusal(
    500,
    'Internal error',
    'Something unexpected happened; the log knows more under this request id.',
    'Look up the request id in the log.',
  ),
} as const;

/** Stop the start; about the installation, not about definitions. */
const BOOT_CODES = {
  CFG_UNREADABLE: problem(
    'error',
    'Config cannot be read',
    'The config file "{file}" cannot be read: {what}.',
    'Give a readable file with `--config`.',
  ),
  CFG_INVALID: problem(
    'error',
    'Config not valid',
    'The config file has {count} problem(s).',
    'Each is listed with its place.',
  ),
  CFG_VARIABLE: problem(
    'error',
    'Environment variable not valid',
    'The environment variable "{name}" must be {expected}.',
    'Correct it, or unset it to use the config file.',
  ),
  CFG_ADDRESS: problem(
    'error',
    'Address not available',
    'Cannot listen on {address}: {what}.',
    'Choose another `PORT` or `HOST`.',
  ),
  PLG_NOT_FOUND: problem(
    'error',
    'Plugin not found',
    'No plugin is found at "{name}": {what}.',
    'A plugin folder holds `spec.js` (and `kind.js` for a kind), beside it `runtime.js`.',
  ),
  PLG_UNKNOWN_KIND: problem(
    'error',
    'Unknown kind',
    'The plugin "{name}" is of kind "{kind}", which nobody declares.',
    "Load the kind's package too.",
  ),
  PLG_UNKNOWN_SLOT: problem(
    'error',
    'Unknown slot',
    '"{name}" stands in the slot "{slot}", which nobody opens.',
    "A slot is opened by the grammar or by a plugin's schema.",
  ),
  PLG_DUPLICATE: problem(
    'error',
    'Duplicate plugin',
    '"{name}" is registered twice.',
    'Plugin names are unique within their kind.',
  ),
  PLG_FACTS: problem(
    'error',
    'Facts missing',
    'The plugin "{name}" does not state the fact "{fact}" as {expected}.',
    'The kind says which facts its plugins must state.',
  ),
  PLG_SPEC: problem(
    'error',
    'Spec not valid',
    'The spec of "{name}" is not complete: {what}.',
    'A spec has a name, a summary, examples and counter-examples, and documents every field.',
  ),
  PLG_FIELD_TAKEN: problem(
    'error',
    'Field taken',
    '"{name}" and "{other}" both define the field "{field}" in "{slot}".',
    'Rename one of the fields.',
  ),
  PLG_HANDLE: problem(
    'error',
    'Handle incomplete',
    'The runtime of "{name}" gives a handle without "{method}".',
    'The kind lists the methods of its handles.',
  ),
  PLG_NO_RUNTIME: problem(
    'error',
    'No runtime',
    'The plugin "{name}" has no runtime.',
    'Put `runtime.js` beside its `spec.js`.',
  ),
  PLG_UNDECLARED: problem(
    'error',
    'Undeclared dependency',
    'The plugin "{name}" resolves "{other}" without naming it in `requires`.',
    'Add it to `requires` in the spec.',
  ),
  PLG_TIMEOUT: problem(
    'error',
    'Plugin too slow',
    'The plugin "{name}" did not {what} within {seconds} s.',
    'Check what it connects to.',
  ),
  PLG_OPEN: problem(
    'error',
    'Plugin failed',
    'The plugin "{name}" could not {what}: {detail}',
    'Check what it connects to.',
  ),
  KRN_SEALED: problem(
    'error',
    'Hooks are sealed',
    '"{name}" taps the hook "{hook}" after the kernel is ready.',
    'Tap hooks in `register`.',
  ),
  KRN_HOOK: problem(
    'error',
    'Unknown hook',
    '"{name}" taps the hook "{hook}", which does not exist.{hint}',
    'There are ten hooks; see docs/architecture.md.',
  ),
  KRN_TAP: problem('error', 'Tap not possible', '"{name}" taps "{hook}" {what}.', 'See the page of the hook.'),
  KRN_BROKEN_SET: problem(
    'error',
    'Definitions not valid',
    'The definitions have {count} error(s); nothing is served.',
    'Mend them, or use `lintel dev`, which serves what is sound.',
  ),
} as const;

export const CATALOGUE: Readonly<Record<string, CodeEntry>> = Object.freeze({
  ...DEFINITION_CODES,
  ...REQUEST_CODES,
  ...BOOT_CODES,
});
