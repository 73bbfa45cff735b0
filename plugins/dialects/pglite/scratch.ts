/** An empty in-memory database that parses statements against the tables of the models. */
import type { PGlite } from '@electric-sql/pglite';
import type { ModelTable } from '../../../contract/model.js';
import type {
  StatementAnswer,
  StatementDescription,
  StatementQuestion,
  StatementRejection,
  Scratch,
  Script,
  Trial,
} from '../../../contract/statement-check.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import type { Row } from '../kind.js';
import {
  toStatementRejection,
  toSentStatement,
  addFunctionAdvice,
  type UnknownObjects,
  type SentStatement,
} from '../shared/rejections.js';
import { postgresFlavour } from '../shared/postgres-flavour.js';

type Query = (text: string, values?: readonly (string | null)[]) => Promise<readonly Row[]>;

interface ScratchSchema {
  readonly schema: string;
  readonly made: Map<string, string>;
  scripts: string;
  isPartial: boolean;
}

export function createScratch(db: PGlite): Scratch {
  const places = new Map<string, ScratchSchema>();
  const describeStatements = createDescriber(db);
  let path = 'public';

  async function selectSchema(instance: string): Promise<ScratchSchema> {
    // Scripts may name the default schema, so it belongs to the first connection.
    const schema = places.size === 0 ? 'public' : `on_${instance}`;
    const place = places.get(instance) ?? { schema, made: new Map<string, string>(), scripts: '[]', isPartial: false };
    if (!places.has(instance) && schema !== path) await db.exec(`CREATE SCHEMA ${quote(schema)}`);
    places.set(instance, place);
    if (place.schema !== path) await db.exec(`SET search_path = ${quote(place.schema)}`);
    path = place.schema;
    return place;
  }

  return {
    async checkStatements({ instance, tables, questions, scripts, remote }) {
      const place = await selectSchema(instance);
      await syncTables(db, place, tables, scripts);
      const unknown = { extensions: remote, scripts: place.isPartial };
      const { rejections, replies } = await analyzeStatements(db, questions, unknown);
      const descriptions = await describeStatements(replies);
      return rejections.map((rejection, i): StatementAnswer => ({ rejection, description: descriptions[i] ?? null }));
    },
    close: () => db.close(),
  };
}

const { quote } = postgresFlavour;

async function syncTables(
  db: PGlite,
  place: ScratchSchema,
  tables: Trial['tables'],
  scripts: readonly Script[],
): Promise<void> {
  const wanted = new Map(tables.map((table) => [table.table, formatTable(table)]));
  const others = [...wanted].filter(([name, text]) => place.made.get(name) !== text);
  const added = JSON.stringify(scripts);
  const isOther = added !== place.scripts;
  if (others.length === 0 && !isOther) return;
  if (scripts.length > 0 || isOther) {
    // Objects created by scripts depend on the tables.
    await db.exec(`DROP SCHEMA ${quote(place.schema)} CASCADE; CREATE SCHEMA ${quote(place.schema)}`);
    place.made.clear();
  }
  const missing = [...wanted].filter(([name, text]) => place.made.get(name) !== text);
  const dropped = missing.filter(([name]) => place.made.has(name)).map(([name]) => `DROP TABLE ${quote(name)} CASCADE`);
  await db.exec(['BEGIN', ...dropped, ...missing.map(([, text]) => text), 'COMMIT'].join(';\n'));
  for (const [name, text] of missing) place.made.set(name, text);
  place.scripts = added;
  place.isPartial = false;
  for (const { text } of scripts) if (!(await isRun(db, text))) place.isPartial = true;
}

/** Names, types and keys suffice to check statements. */
function formatTable({ table, columns, ...model }: ModelTable): string {
  const shape = postgresFlavour.mapTypes([], new Map());
  const lines = columns.map((column) => `${quote(column.name)} ${shape.getType({ table, columns, ...model }, column)}`);
  const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => quote(name));
  if (keys.length > 0) lines.push(`PRIMARY KEY (${keys.join(', ')})`);
  return `CREATE TABLE ${quote(table)} (${lines.join(', ')})`;
}

/** Data is not needed to check statements. */
const CHANGES = /^\s*(?:CREATE|ALTER|DROP|DO)\b/i;

/** False when a statement failed, for example for a missing extension. */
async function isRun(db: PGlite, text: string): Promise<boolean> {
  let isWhole = true;
  for (const statement of splitStatements(text)) {
    if (!CHANGES.test(statement)) continue;
    await db.exec(statement).catch(() => (isWhole = false));
  }
  return isWhole;
}

/** Comments before a statement are skipped. */
function splitStatements(text: string): string[] {
  const { tokens } = scanSql(text);
  const statements: string[] = [];
  let start: number | null = null;
  for (const token of tokens) {
    if (token.type === 'comment') continue;
    if (token.type === 'semicolon') {
      if (start !== null) statements.push(text.slice(start, token.start));
      start = null;
    } else start ??= token.start;
  }
  return start === null ? statements : [...statements, text.slice(start)];
}

type Message = Awaited<ReturnType<PGlite['execProtocol']>>['messages'][number];

interface Analyzed {
  /** In the order of the questions. */
  readonly rejections: readonly (StatementRejection | null)[];
  readonly replies: readonly (readonly Message[])[];
}

export async function analyzeStatements(
  db: PGlite,
  questions: readonly StatementQuestion[],
  unknown: UnknownObjects,
): Promise<Analyzed> {
  const query: Query = async (text, values) => (await db.query<Row>(text, [...(values ?? [])])).rows;
  const sent = questions.map(({ text }) => toSentStatement(text));
  const bytes = Buffer.concat(sent.flatMap(({ text }) => [parseMessage(text), ANALYSE]));
  const { messages } = await db.runExclusive(() => db.execProtocol(bytes, { throwOnError: false }));
  const replies = splitReplies(messages);
  const refusals = sent.map((one, i) => findRejection(replies[i] ?? [], one, unknown));
  const wrong = await findInvalidValues(query, questions, replies);
  const rejections = await Promise.all(
    refusals.map(async (refusal, i) =>
      refusal === null ? (wrong.get(i) ?? null) : addFunctionAdvice(refusal, { query }),
    ),
  );
  return { rejections, replies };
}

function splitReplies(messages: readonly Message[]): Message[][] {
  const turns: Message[][] = [[]];
  for (const message of messages) {
    if (message.name === 'readyForQuery') turns.push([]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

function findRejection(
  messages: readonly Message[],
  sent: SentStatement,
  unknown: UnknownObjects,
): StatementRejection | null {
  const error = messages.find(({ name }) => name === 'error');
  return error === undefined ? null : toStatementRejection(error, sent, unknown);
}

const INPUT = `
SELECT v.q AS q, v.n AS n, (pg_catalog.pg_input_error_info(v.value, pg_catalog.format_type(v.type::oid, NULL))).message AS what
FROM pg_catalog.json_to_recordset($1::json) AS v(q int, n int, value text, type text)`;
/** Any text is valid for these types, because JSON parameters are serialized. */
const TAKES_ALL = new Set([25, 114, 1042, 1043, 3802]);

/** Finds constants in the definition that are invalid for their placeholder. */
async function findInvalidValues(
  query: Query,
  questions: readonly StatementQuestion[],
  replies: readonly (readonly Message[])[],
): Promise<ReadonlyMap<number, StatementRejection>> {
  const bound = questions.flatMap(({ values }, q) =>
    readParameterTypes(replies[q] ?? []).flatMap((type, i) => {
      const value = values[i] ?? null;
      return value === null || TAKES_ALL.has(type) ? [] : [{ q, n: i + 1, value, type: String(type) }];
    }),
  );
  if (bound.length === 0) return new Map();
  const rows = await query(INPUT, [JSON.stringify(bound)]);
  return new Map(
    rows.flatMap(({ q, n, what }): [number, StatementRejection][] =>
      typeof what === 'string'
        ? [[Number(q), { about: 'other', what, advice: '', at: null, n: Number(n), near: null }]]
        : [],
    ),
  );
}

interface ResultField {
  readonly name: string;
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

const TYPE_NAMES = `
SELECT t.id, pg_catalog.format_type(split_part(t.id, ' ', 1)::oid, split_part(t.id, ' ', 2)::int) AS name
FROM pg_catalog.json_array_elements_text($1::json) AS t(id)`;
/** Numbers below are of types that every database has; others change with each making of the tables. */
const FIRST_OWN_TYPE = 16384;

type DescribeStatements = (
  replies: readonly (readonly Message[])[],
) => Promise<readonly (StatementDescription | null)[]>;

function createDescriber(db: PGlite): DescribeStatements {
  const known = new Map<string, string>();
  return async (replies) => {
    const read = replies.map((messages) => ({
      parameters: readParameterTypes(messages).map((type) => `${type} -1`),
      columns: readResultFields(messages).map((field) => ({
        name: field.name,
        type: `${field.dataTypeID} ${field.dataTypeModifier}`,
      })),
      isDescribed: !messages.some(({ name }) => name === 'error'),
    }));
    const every = new Set(
      read.flatMap(({ parameters, columns }) => [...parameters, ...columns.map(({ type }) => type)]),
    );
    const missing = [...every].filter((id) => !known.has(id) || Number.parseInt(id, 10) >= FIRST_OWN_TYPE);
    if (missing.length > 0) {
      const { rows } = await db.query<{ id: string; name: string }>(TYPE_NAMES, [JSON.stringify(missing)]);
      for (const { id, name } of rows) known.set(id, name);
    }
    const getName = (id: string): string => known.get(id) ?? 'unknown';
    return read.map(({ parameters, columns, isDescribed }) =>
      isDescribed
        ? {
            parameters: parameters.map(getName),
            columns: columns.map(({ name, type }) => ({ name, type: getName(type) })),
          }
        : null,
    );
  };
}

function readResultFields(messages: readonly Message[]): readonly ResultField[] {
  const described = messages.find(({ name }) => name === 'rowDescription');
  return (described as { readonly fields?: readonly ResultField[] } | undefined)?.fields ?? [];
}

function readParameterTypes(messages: readonly Message[]): readonly number[] {
  const described = messages.find(({ name }) => name === 'parameterDescription');
  return (described as { readonly dataTypeIDs?: readonly number[] } | undefined)?.dataTypeIDs ?? [];
}

/** Describe (unnamed statement) and Sync, which ends the skipping after an error. */
const ANALYSE = Buffer.from([0x44, 0, 0, 0, 6, 0x53, 0, 0x53, 0, 0, 0, 4]);

/** Parse message without a name and without types, which the server infers. */
function parseMessage(text: string): Buffer {
  const body = Buffer.from(text);
  const message = Buffer.alloc(body.length + 9);
  message[0] = 0x50;
  message.writeInt32BE(message.length - 1, 1);
  body.copy(message, 6);
  return message;
}
