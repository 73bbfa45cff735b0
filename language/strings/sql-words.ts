/** SQL keywords and common functions, for quoting, highlighting and completion. */
const splitWords = (text: string): readonly string[] => text.split(' ');

export const SQL_VERBS = splitWords('SELECT INSERT UPDATE DELETE WITH');

/** Suggested after a complete expression. */
export const SQL_CLAUSES: readonly string[] = [
  ...splitWords('FROM WHERE SET VALUES RETURNING AS ON AND OR JOIN USING LIMIT OFFSET HAVING UNION ASC DESC'),
  'INNER JOIN',
  'LEFT JOIN',
  'GROUP BY',
  'ORDER BY',
  'INSERT INTO',
  'DELETE FROM',
  'UNION ALL',
  'IS NULL',
  'IS NOT NULL',
  'IN',
  'LIKE',
  'ILIKE',
  'BETWEEN',
  'THEN',
  'ELSE',
  'END',
  'WHEN',
  'ON CONFLICT',
  'DO NOTHING',
  'DO UPDATE SET',
  'FOR UPDATE',
  'NULLS LAST',
];

/** Suggested where a value may begin. */
export const SQL_VALUES: readonly string[] = splitWords('NULL TRUE FALSE NOT EXISTS CASE DISTINCT DEFAULT');

/** Words that cannot be unquoted names. */
const RESERVED: ReadonlySet<string> = new Set(
  splitWords(
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_date ' +
      'current_role current_time current_timestamp current_user default deferrable desc distinct do else end except false ' +
      'fetch for foreign from grant group having in initially intersect into lateral leading limit localtime localtimestamp ' +
      'not null offset on only or order placing primary references returning select session_user some symmetric table then ' +
      'to trailing true union unique user using variadic when where window with join inner left right full outer cross ' +
      'natural is isnull notnull like ilike similar between overlaps',
  ),
);

/** Keywords that are also valid unquoted names. */
const PLAIN: ReadonlySet<string> = new Set(
  splitWords(
    'insert update delete set values by conflict nothing excluded recursive materialized exists over partition rows range ' +
      'unbounded preceding following current row nulls first last filter within ordinality tablesample merge matched ' +
      'overriding share skip locked nowait escape interval extract epoch zone time at with without key',
  ),
);

export const isSqlWord = (name: string): boolean => RESERVED.has(name.toLowerCase());

export const isPlainWord = (name: string): boolean => PLAIN.has(name.toLowerCase());

export interface SqlFunction {
  readonly name: string;
  readonly form: string;
  readonly doc: string;
}

const createFunctionDoc = (form: string, doc: string): SqlFunction => ({
  name: form.slice(0, form.indexOf('(')),
  form,
  doc,
});

export const SQL_FUNCTIONS: readonly SqlFunction[] = [
  createFunctionDoc('count(*)', 'How many rows.'),
  createFunctionDoc('sum(value)', 'The sum over the rows.'),
  createFunctionDoc('avg(value)', 'The mean over the rows.'),
  createFunctionDoc('min(value)', 'The least value of the rows.'),
  createFunctionDoc('max(value)', 'The greatest value of the rows.'),
  createFunctionDoc('coalesce(value, otherwise)', 'The first value that is not NULL.'),
  createFunctionDoc('nullif(value, other)', 'NULL where both are equal, else the first.'),
  createFunctionDoc('greatest(value, other)', 'The greatest of the values.'),
  createFunctionDoc('least(value, other)', 'The least of the values.'),
  createFunctionDoc('lower(text)', 'The text in small letters.'),
  createFunctionDoc('upper(text)', 'The text in capitals.'),
  createFunctionDoc('length(text)', 'How many characters.'),
  createFunctionDoc('trim(text)', 'The text without spaces around it.'),
  createFunctionDoc('concat(text, text)', 'The texts, concatenated; NULL counts as empty.'),
  createFunctionDoc('substring(text, from, count)', 'A part of the text; characters count from 1.'),
  createFunctionDoc('replace(text, old, new)', 'The text with every `old` replaced.'),
  createFunctionDoc('round(value, digits)', 'The number, rounded.'),
  createFunctionDoc('abs(value)', 'The number without its sign.'),
  createFunctionDoc('now()', 'The time at which the transaction began.'),
  createFunctionDoc('date_trunc(unit, time)', "The time cut down to a unit: `date_trunc('day', created_at)`."),
  createFunctionDoc('to_char(time, format)', "The time as text: `to_char(created_at, 'YYYY-MM-DD')`."),
  createFunctionDoc('string_agg(text, separator)', 'The texts of the rows, joined.'),
  createFunctionDoc('json_agg(value)', 'The values of the rows as a JSON list.'),
  createFunctionDoc('json_build_object(name, value)', 'A JSON object from names and values.'),
  createFunctionDoc('row_number()', 'The number of the row; with OVER (ORDER BY ...).'),
];
