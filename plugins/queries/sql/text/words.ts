/** SQL keywords, for quoting, highlighting and completion. */
const splitWords = (text: string): readonly string[] => text.split(' ');

/** In the order in which they are offered. */
export const SQL_VERBS: readonly string[] = ['SELECT', 'INSERT INTO', 'UPDATE', 'DELETE FROM', 'WITH'];

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
