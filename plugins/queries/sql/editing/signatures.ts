/** The common functions of PostgreSQL and MySQL, with their parameters and results, for editors. */
import { replaceBackquotes } from '../text/quotes.js';
import { getLexemeName, isName, toLexemes } from '../text/read.js';
import { tokenizeSql } from '../text/tokens.js';
import { isSqlWord } from '../text/words.js';

export interface SqlParameter {
  readonly name: string;
  /** Empty for any type. */
  readonly type: string;
  readonly isOptional: boolean;
  /** The last parameter may be repeated. */
  readonly isRepeated: boolean;
}

export interface SqlSignature {
  readonly name: string;
  /** As it is called: `round(value numeric, [digits integer])`. */
  readonly form: string;
  /** The parameters in `form`: `[from, to]`. */
  readonly parameters: readonly (SqlParameter & { readonly span: readonly [number, number] })[];
  readonly result: string;
  readonly doc: string;
  readonly isAggregate: boolean;
  readonly home: Home;
}

/** The databases that know a function: all of them, those with the syntax of PostgreSQL, or the others. */
type Home = 'all' | 'postgresql' | 'others';

/** `[name]` is optional, `name...` may be repeated. */
const AGGREGATES = `
count(value any) bigint|How many rows have a value; \`count(*)\` counts every row.
sum(value numeric) numeric|The sum over the rows; NULL without rows.
avg(value numeric) numeric|The mean over the rows.
min(value any) any|The least value of the rows.
max(value any) any|The greatest value of the rows.
json_agg(value any) json|The values of the rows as a JSON list.
jsonb_agg(value any) jsonb|The values of the rows as a JSON list.
stddev_samp(value numeric) numeric|The standard deviation of the rows as a sample.
var_samp(value numeric) numeric|The variance of the rows as a sample.
row_number() bigint|The number of the row, from 1; with OVER.
rank() bigint|The place of the row, with gaps behind equal rows; with OVER.
dense_rank() bigint|The place of the row, without gaps; with OVER.
ntile(buckets integer) integer|The number of the part when the rows are divided evenly; with OVER.
lag(value any, [offset integer], [otherwise any]) any|The value in an earlier row; with OVER.
lead(value any, [offset integer], [otherwise any]) any|The value in a later row; with OVER.
first_value(value any) any|The value in the first row of the frame; with OVER.
last_value(value any) any|The value in the last row of the frame; with OVER.`;

const AGGREGATES_OF_POSTGRESQL = `
string_agg(value text, separator text) text|The texts of the rows, joined.
array_agg(value any) any[]|The values of the rows as an array.
bool_and(value boolean) boolean|True if all rows are true.
bool_or(value boolean) boolean|True if one row is true.
json_object_agg(key text, value any) json|A JSON object from a key and a value of each row.
jsonb_object_agg(key text, value any) jsonb|A JSON object from a key and a value of each row.`;

const AGGREGATES_OF_MYSQL = `
group_concat(value text) text|The texts of the rows, joined with commas or with SEPARATOR.
json_arrayagg(value any) json|The values of the rows as a JSON list.
json_objectagg(key text, value any) json|A JSON object from a key and a value of each row.`;

const SCALARS = `
coalesce(value any, otherwise... any) any|The first value that is not NULL.
nullif(value any, other any) any|NULL where both are equal, else the first.
greatest(value any, other... any) any|The greatest of the values.
least(value any, other... any) any|The least of the values.
lower(value text) text|The text in small letters.
upper(value text) text|The text in capitals.
length(value text) integer|How many characters; on MySQL, how many bytes.
char_length(value text) integer|How many characters.
trim(value text) text|The text without spaces around it.
ltrim(value text) text|The text without spaces before it.
rtrim(value text) text|The text without spaces behind it.
concat(value... any) text|The texts, joined; on PostgreSQL, NULL counts as empty.
concat_ws(separator text, value... any) text|The texts with a separator between them; NULL is left out.
substring(value text, from integer, [count integer]) text|A part of the text; characters count from 1.
left(value text, count integer) text|The first characters.
right(value text, count integer) text|The last characters.
lpad(value text, length integer, fill text) text|The text, filled up on the left.
rpad(value text, length integer, fill text) text|The text, filled up on the right.
repeat(value text, count integer) text|The text, so many times.
replace(value text, old text, new text) text|The text with every \`old\` replaced.
reverse(value text) text|The text from its end.
md5(value text) text|The MD5 of the text, in hexadecimal digits.
round(value numeric, [digits integer]) numeric|The number, rounded.
ceil(value numeric) numeric|The least whole number that is not smaller.
floor(value numeric) numeric|The greatest whole number that is not larger.
abs(value numeric) numeric|The number without its sign.
mod(value numeric, divisor numeric) numeric|The rest of the division.
power(base numeric, exponent numeric) numeric|The base to this power.
sqrt(value numeric) numeric|The square root.
sign(value numeric) numeric|-1, 0 or 1.
now() timestamptz|The time at which the statement or its transaction began.
gen_random_uuid() uuid|A new random UUID.
json_build_object(key text, value... any) json|A JSON object from keys and values in turn.
jsonb_build_object(key text, value... any) jsonb|A JSON object from keys and values in turn.
json_build_array(value... any) json|A JSON list of the values.
jsonb_build_array(value... any) jsonb|A JSON list of the values.
regexp_replace(value text, pattern text, replacement text) text|The text with what matches the pattern replaced.`;

const SCALARS_OF_POSTGRESQL = `
date_trunc(unit text, time timestamptz) timestamptz|The time cut down to a unit: \`date_trunc('day', created_at)\`.
date_part(unit text, time timestamptz) double precision|One part of the time: \`date_part('year', created_at)\`.
age(end timestamptz, [begin timestamptz]) interval|The time between both, in years, months and days.
to_char(value timestamptz, format text) text|The time or number as text: \`to_char(created_at, 'YYYY-MM-DD')\`.
to_date(value text, format text) date|The date that the text names.
to_timestamp(value double precision) timestamptz|The time so many seconds after 1970.
make_date(year integer, month integer, day integer) date|The date of these parts.
make_interval([years integer], [months integer], [weeks integer], [days integer], [hours integer], [mins integer], [secs double precision]) interval|A duration; name the parts: \`make_interval(days => 7)\`.
clock_timestamp() timestamptz|The time right now, also within a transaction.
split_part(value text, separator text, n integer) text|The n-th part of a text, from 1.
strpos(value text, part text) integer|Where the part begins, from 1; 0 if it is not there.
starts_with(value text, prefix text) boolean|True if the text begins so.
initcap(value text) text|Each word with a capital letter.
format(pattern text, value... any) text|The pattern with each \`%s\` replaced by a value.
encode(value bytea, format text) text|Bytes as text: \`hex\`, \`base64\`, \`escape\`.
decode(value text, format text) bytea|Text as bytes: \`hex\`, \`base64\`, \`escape\`.
sha256(value bytea) bytea|The SHA-256 of the bytes.
trunc(value numeric, [digits integer]) numeric|The number without the digits behind.
random() double precision|A number from 0 up to 1, without 1.
regexp_match(value text, pattern text, [flags text]) text[]|The groups of the first match.
string_to_array(value text, separator text) text[]|The parts of the text.
array_to_string(list any[], separator text, [null text]) text|The elements, joined.
array_length(list any[], dimension integer) integer|How many elements; NULL for an empty array.
cardinality(list any[]) integer|How many elements.
array_append(list any[], value any) any[]|The array with one more element.
array_remove(list any[], value any) any[]|The array without this value.
array_position(list any[], value any) integer|Where the value stands, from 1.
unnest(list any[]) setof any|A row for each element.
generate_series(start any, stop any, [step any]) setof any|A row for each value from \`start\` to \`stop\`.
to_json(value any) json|The value as JSON.
to_jsonb(value any) jsonb|The value as JSON.
row_to_json(row record) json|The row as a JSON object.
jsonb_set(target jsonb, path text[], value jsonb, [create boolean]) jsonb|The document with the value at this path.
jsonb_array_length(list jsonb) integer|How many elements.
jsonb_array_elements(list jsonb) setof jsonb|A row for each element.
jsonb_array_elements_text(list jsonb) setof text|A row for each element, as text.
jsonb_each(object jsonb) setof record|A row with \`key\` and \`value\` for each member.
jsonb_object_keys(object jsonb) setof text|A row for each key.
jsonb_typeof(value jsonb) text|\`object\`, \`array\`, \`string\`, \`number\`, \`boolean\` or \`null\`.
jsonb_strip_nulls(value jsonb) jsonb|The document without members that are null.
to_tsvector([config regconfig], document text) tsvector|The text as words to search in.
to_tsquery([config regconfig], query text) tsquery|A search with operators: \`cat & rat\`.
plainto_tsquery([config regconfig], query text) tsquery|A search for all words of the text.
websearch_to_tsquery([config regconfig], query text) tsquery|A search as people write it: quotes, \`or\`, \`-\`.
ts_rank(vector tsvector, query tsquery) real|How well a document matches a search.`;

const SCALARS_OF_MYSQL = `
ifnull(value any, otherwise any) any|The value, or the other one where it is NULL.
if(condition boolean, then any, else any) any|One of two values.
date_format(time datetime, format text) text|The time as text: \`date_format(created_at, '%Y-%m-%d')\`.
date_add(time datetime, span interval) datetime|The time, later: \`date_add(created_at, INTERVAL 1 DAY)\`.
date_sub(time datetime, span interval) datetime|The time, earlier.
datediff(end date, begin date) integer|The days between both.
timestampdiff(unit keyword, begin datetime, end datetime) bigint|Whole units between both.
unix_timestamp([time datetime]) bigint|Seconds since 1970.
from_unixtime(seconds bigint) datetime|The time so many seconds after 1970.
json_extract(document json, path... text) json|The value at a path: \`'$.a'\`.
json_unquote(value json) text|A JSON text without its quotes.
json_set(document json, path text, value any) json|The document with the value at this path.
json_length(document json, [path text]) integer|How many elements or members.
json_contains(document json, candidate json, [path text]) boolean|True if the document contains the candidate.
substring_index(value text, separator text, count integer) text|The text before the n-th separator; negative: behind it, from the end.
locate(part text, value text, [from integer]) integer|Where the part begins, from 1; 0 if it is not there.
sha2(value text, bits integer) text|The SHA-2 of the text, in hexadecimal digits.
rand() double|A number from 0 up to 1, without 1.
truncate(value numeric, digits integer) numeric|The number without the digits behind.
uuid() text|A new UUID.`;

const PARAMETER =
  /\[(?<optional>\w+) (?<kind>[^\]]+)\]|(?<name>\w+)(?<repeated>\.\.\.)?(?: (?<type>[a-z0-9 ]+(?:\[\])?))?/g;

function readSignature(line: string, isAggregate: boolean, home: Home): SqlSignature {
  const at = line.indexOf('|');
  const close = line.lastIndexOf(')', at);
  const form = line.slice(0, close + 1);
  const open = form.indexOf('(') + 1;
  const parameters = [...form.slice(open, -1).matchAll(PARAMETER)].map((found) => {
    const { optional, kind, name = '', repeated, type = kind } = found.groups ?? {};
    const from = open + found.index;
    return {
      name: optional ?? name,
      type: type === undefined || type === 'any' ? '' : type,
      isOptional: optional !== undefined,
      isRepeated: repeated !== undefined,
      span: [from, from + found[0].length] as const,
    };
  });
  const result = line.slice(close + 2, at);
  return { name: form.slice(0, open - 1), form, parameters, result, doc: line.slice(at + 1), isAggregate, home };
}

const readTable = (text: string, isAggregate: boolean, home: Home): SqlSignature[] =>
  text
    .trim()
    .split('\n')
    .map((line) => readSignature(line, isAggregate, home));

let known: readonly SqlSignature[] | null = null;

/** Read on first use, because the start of an editor does not need it. */
function readSignatures(): readonly SqlSignature[] {
  return (known ??= [
    ...readTable(AGGREGATES, true, 'all'),
    ...readTable(AGGREGATES_OF_POSTGRESQL, true, 'postgresql'),
    ...readTable(AGGREGATES_OF_MYSQL, true, 'others'),
    ...readTable(SCALARS, false, 'all'),
    ...readTable(SCALARS_OF_POSTGRESQL, false, 'postgresql'),
    ...readTable(SCALARS_OF_MYSQL, false, 'others'),
  ]);
}

/** `syntax`: that of the database, as its plugin names it; null where it is unknown. */
export const isKnownIn = ({ home }: SqlSignature, syntax: string | null): boolean =>
  syntax === null || home === 'all' || (home === 'postgresql') === (syntax === 'postgresql');

export const listSignatures = (syntax: string | null): readonly SqlSignature[] =>
  readSignatures().filter((one) => isKnownIn(one, syntax));

/** `name` in lower case. */
export const findSignature = (name: string): SqlSignature | undefined =>
  readSignatures().find((one) => one.name === name);

export const isAggregate = (name: string): boolean => findSignature(name)?.isAggregate === true;

const TYPES =
  'text integer bigint numeric boolean timestamptz date time uuid jsonb json varchar smallint real timestamp'.split(
    ' ',
  );
const TYPES_OF_POSTGRESQL = 'interval text[] integer[] uuid[] bytea tsvector tsquery regclass'.split(' ');

/** The types of casts, the common ones first: on other databases than PostgreSQL, those with a counterpart. */
export const listCastTypes = (syntax: string | null): readonly string[] => [
  ...TYPES,
  'double precision',
  ...(syntax === null || syntax === 'postgresql' ? TYPES_OF_POSTGRESQL : []),
];

export interface SqlCallAt {
  readonly signature: SqlSignature;
  /** Number of the argument, from 0. */
  readonly argument: number;
}

/** Null outside of calls, and in those of unknown functions. */
export function findCallAt(source: string, offset: number): SqlCallAt | null {
  const text = replaceBackquotes(source).slice(0, offset);
  const words = toLexemes(text, tokenizeSql(text).tokens);
  let depth = 0;
  let argument = 0;
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at];
    if (word?.type === 'close') depth++;
    else if (word?.type === 'open' && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (word?.type === 'comma') argument++;
    else if (word?.type === 'semicolon' || (word?.type === 'word' && word.text === 'SELECT')) return null;
    else if (word?.type === 'open') {
      const called = words[at - 1];
      const name = isName(called) && word.text === '(' ? getLexemeName(called) : null;
      const signature = name === null ? undefined : findSignature(name);
      if (signature !== undefined) return { signature, argument };
      if (name !== null && !isSqlWord(name)) return null;
      // Parentheses around an expression: the call is further out.
      argument = 0;
    }
  }
  return null;
}
