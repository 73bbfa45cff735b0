/**
 * The text of a statement in an editor of its own: a legend of its parameters, then the statement. A placeholder stays `$1`; the legend
 * says what it is, as JSON: `-- $1 = "email"`.
 */
import type { Json } from '../../contract/json.js';
import { formatSql, joinSql } from '../../plugins/queries/sql/editing/format.js';

export interface StatementContent {
  readonly sql: string;
  /** Null: the definition has no list, or not one that can be written here. */
  readonly parameters: readonly Json[] | null;
}

export interface StatementText extends StatementContent {
  /** Offset of the statement behind the legend. */
  readonly start: number;
  /** Offset behind the last line of the legend, without its end; 0 without a legend. */
  readonly legendEnd: number;
}

const ENTRY = /-- \$(\d+) = ?([^\n]*)(?:\n|$)/y;

/** The message says what is wrong, and in which line. */
export class StatementTextError extends Error {}

export function formatStatementText({ sql, parameters }: StatementContent): string {
  const legend = (parameters ?? []).map((value, i) => formatLegendLine(i + 1, value)).join('\n');
  const body = formatSql(sql);
  if (legend !== '') return `${legend}\n\n${body}`;
  // An empty line shows that what follows is no legend.
  return /^(?:\n|-- \$\d+ =)/.test(body) ? `\n${body}` : body;
}

/** Without characters that editors take for ends of lines. */
export const formatLegendLine = (n: number, value: Json): string =>
  `-- $${n} = ${JSON.stringify(value).replace(/[\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`)}`;

/** Throws a StatementTextError for a legend that cannot be read. */
export function readStatementText(written: string): StatementText {
  const text = written.replace(/\r\n/g, '\n');
  const parameters: Json[] = [];
  ENTRY.lastIndex = 0;
  let at = 0;
  let legendEnd = 0;
  for (let found = ENTRY.exec(text); found !== null; found = ENTRY.exec(text)) {
    const [whole, digits = '', value = ''] = found;
    const n = parameters.length + 1;
    if (Number(digits) !== n)
      throw new StatementTextError(
        `Line ${n}: this is the place of $${n}, not of $${digits}. Number the parameters in their order.`,
      );
    parameters.push(parseValue(value, n));
    at = ENTRY.lastIndex;
    legendEnd = at - (whole.endsWith('\n') ? 1 : 0);
  }
  const start = text[at] === '\n' ? at + 1 : at;
  return { sql: text.slice(start), parameters: at === 0 ? null : parameters, start, legendEnd };
}

function parseValue(text: string, n: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new StatementTextError(`Line ${n}: the value of $${n} is no JSON. Write "name", "$ACCESSOR" or a value.`);
  }
}

/** The text for the definition. `before`: the content that was opened; unchanged parts keep their form. */
export function toWrittenContent(text: string, before: StatementContent): StatementContent {
  const read = readStatementText(text);
  const opened = readStatementText(formatStatementText(before));
  const isSame = read.sql === opened.sql;
  const sql = isSame ? before.sql : /[\r\n]/.test(before.sql) ? read.sql : joinSql(read.sql);
  return { sql, parameters: getParameters(read, before) };
}

/** Without a legend no parameter is left. */
export const getParameters = (read: StatementContent, before: StatementContent): StatementContent['parameters'] =>
  read.parameters ?? (before.parameters === null ? null : []);
