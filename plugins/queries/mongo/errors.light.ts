/** Error codes of the checks of document queries. Data only. */
import type { CodeEntry, Severity } from '../../../contract/problem.js';

const createEntry =
  (severity: Severity) =>
  (title: string, message: string, help: string): CodeEntry => ({ severity, title, message, help });
const error = createEntry('error');
const warning = createEntry('warning');

export const documentErrors = {
  DOC_OPERATOR: error(
    'Unknown operator',
    '"{name}" means nothing {where}.{hint}',
    'Operators are those of MongoDB, and come from the definition alone.',
  ),
  DOC_PLACE: error(
    'Operator in the wrong place',
    '"{name}" is not allowed {where}; {right}.',
    'In a filter: {"age": {"$gte": 18}}. In an update: {"$set": {"age": 18}}.',
  ),
  DOC_REFUSED: error('Operator not allowed', '"{name}" is not allowed: {why}.', 'Say it with the other operators.'),
  DOC_QUERY: error(
    'Value not allowed here',
    '"{text}" is a value of the request, and {where} stands {right}.',
    'What a client sends is a value, and never becomes a query or an operator.',
  ),
  DOC_OPERAND: error(
    'Operand of the wrong form',
    'There is {actual} {where}, where {right} is expected.',
    'Correct the form.',
  ),
  DOC_CONSTANT: error(
    'Value of a request in a constant',
    '"{text}" is not allowed {where}: this part must be constant.',
    'Names of fields, orders and types are not for clients to choose.',
  ),
  DOC_NAME: error(
    'Name of a field from a request',
    '"{name}" cannot be the name of a field: names come from the definition alone.',
    'Write the name, and put the accessor into its value.',
  ),
  DOC_FIELD: warning(
    'Unknown field',
    'There is no field "{name}" in {where}.{hint}',
    'The model says which fields a document has.',
  ),
  DOC_NO_OBJECT: warning(
    'Path into a field without fields',
    '"{name}" is of the type {type} and has no fields inside.',
    'Only a JSON_OBJECT or a JSON_ARRAY has something inside.',
  ),
  DOC_TYPE: error(
    'Literal of another type',
    'The field is of the type {type}, so that {actual} fits nowhere; write {right}.',
    'Documents of another type are never found, and never written.',
  ),
  DOC_NOT_NUMERIC: error(
    'Arithmetic with something else than a number',
    '"{name}" needs a number, and this field is of the type {type}.',
    'Use `$set`, or make the field a Number.',
  ),
  DOC_NOT_TEXT: error(
    'Pattern for something else than a text',
    '"{name}" needs a text, and this field is of the type {type}.',
    'Compare the value itself, or make the field a String.',
  ),
  DOC_PARAMETER: error(
    'Parameter missing',
    '"${n}" has no parameter: `parameters` lists {count}.',
    'Add the value, or correct the number; the first one is "$1".',
  ),
  DOC_PARAMETER_UNUSED: error(
    'Parameter not used',
    'Nothing uses this parameter (it would be "${n}").',
    'Use it in a predicate or remove it.',
  ),
  DOC_DOLLAR: error(
    'Operator without its dollar',
    '"{name}" is the name of a field here; the operator is "{right}".',
    'Operators of MongoDB begin with a dollar.',
  ),
  DOC_CODE: error(
    'Call of a shell',
    'This is text, and never run; write {right}.',
    'Ids and times are written as text; the model says what they are.',
  ),
  DOC_TEXT: warning(
    'Text that looks like a name',
    '"{text}" is plain text here; for a value of the request write {right}.',
    'In predicates values are accessors, or "$1" for the first entry of `parameters`.',
  ),
  DOC_FILTER: error(
    'Elements that nothing chooses',
    '"$[{name}]" has no entry in `array_filters`; write {"array_filters": [{"{name}": ...}]}.',
    'Each entry selects elements of a list.',
  ),
  DOC_TWICE: error(
    'Field that is changed twice',
    '"{name}" and "{other}" change the same field; one update changes a field once.',
    'Remove one of them, or write the update as a list of stages.',
  ),
  DOC_NO_LIST: error(
    'Elements for what is no list',
    '"{name}" needs a list, and this field is of the type {type}.',
    'Use `$set`, or make the field a JSON_ARRAY.',
  ),
  DOC_MIXED: error(
    'Projection of both sorts',
    '"{name}" differs from "{first}"; a projection lists either the fields to keep or those to remove.',
    'Only `_id` may differ.',
  ),
  DOC_GROUP: error(
    'Group without a key',
    'A "$group" needs "_id": an expression such as "$email", or null for all documents together.',
    'Its rows have one for each value of `_id`.',
  ),
  DOC_REPLACE: error(
    'Update without operators',
    'Without an operator this update would replace whole documents; write {"$set": ...}.',
    '`$set` contains the fields to change: {"$set": {"name": "$1"}}.',
  ),
  DOC_NOTHING: warning(
    'Update of nothing',
    '"{name}" names no field, so that it changes nothing.',
    'Name fields, or remove it.',
  ),
  DOC_ID: error(
    'Key that cannot change',
    'The `_id` of a document never changes.',
    'Insert a new document, or use a field of its own.',
  ),
  DOC_KEY: warning(
    'Primary key is changed',
    '"{name}" is the primary key of "{model}"; whatever refers to the document by it loses it.',
    'Do not change the key.',
  ),
  DOC_ENTRY: error(
    'Literal without a name',
    'An INSERT takes the names of its fields from `parameters`, and this entry has none; write {"document": {"name": {text}}}.',
    'In `document` each field has its name; `with_timestamp` adds the times.',
  ),
  DOC_NEEDED: warning(
    'Required fields missing',
    'This INSERT has no value for {fields}, which the model "{model}" requires.',
    'Add the fields, or make them `optional`.',
  ),
  DOC_LIST_AGAIN: {
    status: 500,
    title: 'List without a transaction',
    message: 'A job cannot write each item of a list where the document store has no transactions.',
    help: 'A second try would write items again that the first has written. Use a replica set (of one server: `mongod --replSet`, then `rs.initiate()`), leave out `"transaction": false`, or write the list before the answer.',
  },
} satisfies Readonly<Record<string, CodeEntry>>;
