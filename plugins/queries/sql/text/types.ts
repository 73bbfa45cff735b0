/** Parses and normalizes type names after `::` and in CAST(... AS ...). */
const BLANK = String.raw`[ \t\r\n\f\v]+`;
const NAME = String.raw`(?:"[^"]*(?:""[^"]*)*"|[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*)`;
const ZONE = String.raw`(?:${BLANK}with(?:out)?${BLANK}time${BLANK}zone\b)?`;
const FIELD = String.raw`(?:year|month|day|hour|minute|second)`;
const MODIFIER = String.raw`(?:[ \t]*\([A-Za-z0-9_ \t,'.+-]*\))?`;
const KNOWN = [
  `double${BLANK}precision\\b`,
  `(?:national${BLANK})?char(?:acter)?${BLANK}varying\\b${MODIFIER}`,
  `national${BLANK}char(?:acter)?\\b${MODIFIER}`,
  `bit${BLANK}varying\\b${MODIFIER}`,
  `time(?:stamp)?\\b${MODIFIER}${ZONE}`,
  `interval\\b(?:${BLANK}${FIELD}\\b(?:${BLANK}to${BLANK}${FIELD}\\b)?)?${MODIFIER}`,
].join('|');
const BOUNDS = String.raw`(?:(?:[ \t]*\[[ \t]*[0-9]*[ \t]*\])+|${BLANK}array\b(?:[ \t]*\[[ \t]*[0-9]*[ \t]*\])?)?`;
const TYPE = new RegExp(
  String.raw`[ \t\r\n\f\v]*(?:(?:${KNOWN})(?![ \t]*\.)|${NAME}(?:[ \t]*\.[ \t]*${NAME})*${MODIFIER})${BOUNDS}`,
  'iy',
);

export function findTypeEnd(text: string, at: number): number {
  TYPE.lastIndex = at;
  return TYPE.test(text) ? TYPE.lastIndex : -1;
}

/** `pg_catalog."jsonb"` is `jsonb`, `Numeric ( 10, 2 )` is `numeric(10,2)`, `int array` is `int[]`. */
export function normalizeType(text: string): string {
  const parts = text.split(/("[^"]*(?:""[^"]*)*")/);
  const plain = parts.map((part, i) => (i % 2 ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase()));
  return plain
    .join('')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),.[\]]) ?/g, '$1')
    .replace(/\)(?=[a-z])/g, ') ')
    .replace(/^pg_catalog\./, '')
    .replace(/ array(\[\d*\])?$/, '[]')
    .replace(/\[\d+\]/g, '[]');
}
