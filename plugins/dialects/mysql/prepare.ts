/**
 * Prepares one statement at load: its forms on both servers and the placeholder types. Column types are known once
 * the database is open.
 */
import type { StatementPlaceholder, StatementText } from '../../../contract/statement-text.js';
import { createHash } from 'node:crypto';
import type { BootError } from '../../../contract/boot-error.js';
import type { ColumnType, ModelTable } from '../../../contract/model.js';
import type { RowLock } from '../../../contract/plan.js';
import { isComputation } from '../../queries/sql/text/calls.js';
import { findLockPosition } from '../../queries/sql/text/row-lock.js';
import { isName, getLexemeName, toLexemes } from '../../queries/sql/text/read.js';
import type { PreparedStatement, PrepareInput } from '../kind.js';
import type { BindType } from './bind.js';
import type { MysqlCatalogue, MysqlCatalogueTable } from './catalogue.js';
import { planForm, scanQuoted, type StatementForm } from './forms.js';
import { isListAt } from './casts.js';
import { findComparedOperand } from './operands.js';
import { createRowFinder } from './steps.js';
import { isKeyword, createTranslationError, type Lexeme, type RenderedSql } from './words.js';
import { findCastType, type ServerFlavour, type ValueType } from './types.js';

export interface MysqlPreparedStatement extends PreparedStatement {
  readonly forms: Readonly<Record<ServerFlavour, StatementForm>>;
  readonly changesTables: boolean;
  readonly typesIn: (catalogue: MysqlCatalogue) => ReadonlyMap<number, BindType>;
  readonly tables: readonly string[];
  /** Why the statement can never run, according to the models. */
  readonly refusals: Readonly<Record<ServerFlavour, BootError | null>>;
}

const ROWS = /^(?:SELECT|INSERT|UPDATE|DELETE|VALUES|TABLE|REPLACE|SET|SHOW|WITH|CALL|DO|)$/;
const WRITES = /^(?:INSERT|UPDATE|DELETE|REPLACE|INTO|SHARE|LOCK)$/;
/** `NEXT VALUE FOR s`: the next number of a sequence. */
const isNext = ({ text }: Lexeme, at: number, words: readonly Lexeme[]): boolean =>
  text === 'NEXT' && words[at + 1]?.text === 'VALUE';

const LOCKS: Readonly<Record<RowLock, Readonly<Record<ServerFlavour, string>>>> = {
  update: { mysql: 'FOR UPDATE', mariadb: 'FOR UPDATE' },
  share: { mysql: 'FOR SHARE', mariadb: 'LOCK IN SHARE MODE' },
};

const MODEL_TYPES: Readonly<Record<ColumnType, ValueType>> = {
  integer: 'big',
  float: 'float',
  text: 'text',
  boolean: 'boolean',
  timestamp: 'instant',
  json: 'json',
};

export function prepareMysqlStatement(input: PrepareInput): MysqlPreparedStatement {
  const scan = scanQuoted(input.scan);
  const { lock = null } = input;
  const locked = lock !== null && findLockPosition(scan) !== null;
  const words = locked ? LOCKS[lock] : null;
  const forms = {
    mysql: planForm(scan, 'mysql', words?.mysql ?? null),
    mariadb: planForm(scan, 'mariadb', words?.mariadb ?? null),
  };
  const { tables: models = [] } = input;
  const refusals = { mysql: validateReturning(forms.mysql, models), mariadb: validateReturning(forms.mariadb, models) };
  if (refusals.mysql !== null && refusals.mariadb !== null) throw refusals.mysql;
  const { text } = forms.mysql.main;
  const count = scan.placeholders.reduce((most, { n }) => Math.max(most, n), 0);
  const all = Array.from({ length: count }, (_, i) => i);
  const isJson = (i: number): boolean => {
    const casts = scan.placeholders.filter(({ n }) => n === i + 1).map(({ cast }) => cast);
    const column = input.jsonColumns[i] === true && casts.every((cast) => cast === null);
    return column || casts.some((cast) => cast !== null && /^jsonb?$/.test(cast));
  };
  const json = all.map(isJson);
  const writes = toLexemes(scan.text, scan.tokens).some(
    (word, at, all) => word.type === 'word' && (WRITES.test(word.text) || isNext(word, at, all)),
  );
  return Object.freeze({
    name: `lintel_${createHash('sha256').update(text).digest('base64url').slice(0, 27)}`,
    text,
    order: all,
    json,
    readOnly: !locked && /^(?:SELECT|VALUES|TABLE)$/.test(scan.verb) && !writes && isComputation(scan),
    forms,
    changesTables: !ROWS.test(scan.verb),
    typesIn: createTypeResolver(scan, json, models),
    tables: scan.tables.map(({ name }) => name),
    refusals,
  });
}

function createTypeResolver(
  scan: StatementText,
  json: readonly boolean[],
  models: readonly ModelTable[],
): MysqlPreparedStatement['typesIn'] {
  const words = toLexemes(scan.text, scan.tokens);
  const names = scan.tables.map(({ name }) => name);
  const inferred = new Map(
    scan.placeholders.map((placeholder) => [placeholder.start, inferPlaceholderType(placeholder, words)]),
  );
  const qualifiers = new Map(scan.placeholders.map(({ start }) => [start, findQualifier(words, start)]));
  const operands = new Map(scan.placeholders.map(({ start }) => [start, findComparedOperand(words, start)]));
  const near = new Map(scan.placeholders.map(({ start }) => [start, listNearTables(scan, words, start)]));
  return (catalogue) => {
    const findColumnType = (written: string, tables: readonly string[]): ValueType | undefined => {
      // Column names are case-insensitive in MySQL, also in quotes.
      const column = written.toLowerCase();
      const found = new Set<ValueType>();
      for (const table of tables) {
        const known = catalogue.get(table)?.columns.get(column);
        const model = models
          .find((one) => one.table === table)
          ?.columns.find(({ name }) => name.toLowerCase() === column);
        const type = known ?? (model && MODEL_TYPES[model.type]);
        if (type !== undefined) found.add(type);
      }
      return found.size === 1 ? [...found][0] : undefined;
    };
    /** In the nearest scope with such a column. */
    const createColumnLookup = (start: number) => (column: string, table: string | null) => {
      const ways = table === null ? [...(near.get(start) ?? []), names] : [findTablesByAlias(scan, words, table)];
      for (const tables of ways) {
        const type = findColumnType(column, tables);
        if (type !== undefined) return type;
      }
      return undefined;
    };
    return new Map(
      scan.placeholders.map(({ n, start, cast, column }): [number, BindType] => {
        const type = inferred.get(start) ?? null;
        const columnOf = createColumnLookup(start);
        const known = column === null ? undefined : columnOf(column, qualifiers.get(start) ?? null);
        if (type !== null && typeof type === 'object')
          return [start, { list: type.list ?? known ?? inferListType(words, start, (name) => columnOf(name, null)) }];
        if (type !== null) return [start, type];
        if (column === null && cast === null) return [start, operands.get(start)?.(columnOf) ?? null];
        if (json[n - 1] === true && cast === null) return [start, 'json'];
        return [start, known ?? null];
      }),
    );
  };
}

type Words = ReturnType<typeof toLexemes>;

/** The qualifier in `e.id = $1`. */
function findQualifier(words: Words, start: number): string | null {
  const i = words.findIndex((word) => word.start === start);
  const qualifier = words[i - 4];
  if (words[i - 1]?.type !== 'operator' || words[i - 3]?.type !== 'dot' || !isName(qualifier)) return null;
  return getLexemeName(qualifier);
}

/** All tables when none has this name or alias. */
function findTablesByAlias(scan: StatementText, words: Words, name: string): readonly string[] {
  const found = scan.tables.filter((table) => {
    const at = words.findIndex((word) => word.start === table.start);
    const alias = isKeyword(words[at + 1], 'AS') ? words[at + 2] : words[at + 1];
    return isName(alias) && getLexemeName(alias) === name ? true : table.name === name;
  });
  return (found.length === 0 ? scan.tables : found).map((table) => table.name);
}

/** The type of the column in `column = ANY ($1)`. */
function inferListType(
  words: Words,
  start: number,
  columnOf: (name: string) => ValueType | undefined,
): ValueType | null {
  const i = words.findIndex((word) => word.start === start);
  const column = words[i - 4];
  return isName(column) ? (columnOf(getLexemeName(column)) ?? null) : null;
}

function inferPlaceholderType({ start, cast }: StatementPlaceholder, words: Words): BindType {
  const i = words.findIndex((word) => word.start === start);
  const before = words[i - 1];
  const next = words[i + 1];
  if (isListAt(words, i))
    return { list: cast === null ? null : (findCastType(cast.replace(/\[\]$/, ''))?.value ?? null) };
  const call = words[i - 1]?.type === 'comma' ? words[i - 4] : words[i - 2];
  if (isKeyword(call, 'PLAINTO_TSQUERY', 'WEBSEARCH_TO_TSQUERY', 'PHRASETO_TSQUERY', 'TO_TSQUERY')) return 'search';
  if (cast !== null) return findCastType(cast)?.value ?? null;
  if (isKeyword(before, 'LIMIT', 'OFFSET')) return 'limit';
  if (before?.text === '->' || before?.text === '->>') return 'path';
  const sum = /^[-+*/%]$/;
  return sum.test(before?.text ?? '') || sum.test(next?.text ?? '') ? 'arithmetic' : null;
}

export type { RenderedSql as Rendered };

/** Null: the models allow it. */
function validateReturning({ steps }: StatementForm, models: readonly ModelTable[]): BootError | null {
  const model = steps && models.find(({ table }) => table === steps.table);
  if (!model) return null;
  const known = toCatalogueKeys(model);
  const where = `RETURNING of ${steps.table}`;
  if (steps.step === 'insert') {
    if (!steps.hasReturning || createRowFinder(steps, known) !== undefined) return null;
    return createTranslationError(
      `${where}, whose rows cannot be found again,`,
      'a model with a primary key, and its value in VALUES',
    );
  }
  if (known.keys.length === 0)
    return createTranslationError(
      `${where}, whose model has no key,`,
      '`primary_key` or `unique` at a field of the model',
    );
  const primary = known.keys.find((key) => key.primary)?.columns ?? [];
  const set = primary.find((name) => steps.sets.includes(name.toLowerCase()));
  if (set === undefined) return null;
  return createTranslationError(
    `${where} in an UPDATE of its key "${set}"`,
    'an UPDATE without RETURNING, and a SELECT behind it',
  );
}

function toCatalogueKeys({ columns, uniques }: ModelTable): Pick<MysqlCatalogueTable, 'keys' | 'auto'> {
  const primary = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const others = [...columns.filter(({ unique }) => unique).map(({ name }) => [name]), ...uniques];
  return {
    auto: columns.find(({ autoIncrement }) => autoIncrement)?.name ?? null,
    keys: [
      ...(primary.length > 0 ? [{ name: 'PRIMARY', primary: true, columns: primary }] : []),
      ...others.map((names) => ({ name: names.join('_'), primary: false, columns: names })),
    ],
  };
}

/** Word indexes. `open`: the parenthesis, or -1 for the statement; `select`: the SELECT, or -1. */
interface Scope {
  readonly open: number;
  readonly select: number;
}

const isQuery = (word: Lexeme | undefined): boolean => isKeyword(word, 'SELECT', 'WITH', 'VALUES');

/** Innermost first; the last is the statement itself. */
function listScopes(all: readonly Lexeme[], i: number): Scope[] {
  const scopes: Scope[] = [];
  let depth = all[i]?.depth ?? 0;
  let select = -1;
  for (let at = i; at >= 0; at--) {
    const word = all[at];
    if (word === undefined || word.depth > depth) continue;
    if (word.depth === depth && isKeyword(word, 'SELECT') && select < 0) select = at;
    if (word.type !== 'open' || word.depth !== depth - 1) continue;
    if (isQuery(all[at + 1])) {
      scopes.push({ open: at, select });
      select = -1;
    }
    depth -= 1;
  }
  return [...scopes, { open: -1, select }];
}

const isSame = (one: Scope | undefined, other: Scope): boolean =>
  one?.open === other.open && one.select === other.select;

/** The nearest scope comes first. */
function listNearTables(scan: StatementText, all: readonly Lexeme[], start: number): readonly (readonly string[])[] {
  const findWordAt = (place: number): number => all.findIndex((word) => word.start === place);
  const i = findWordAt(start);
  const homes = scan.tables.map((table) => ({ name: table.name, home: listScopes(all, findWordAt(table.start))[0] }));
  const scopes = listScopes(all, i);
  // `INSERT INTO t (id) SELECT $1 FROM u`: the value is one of `t`.
  const [first] = scopes;
  const isTop = scan.verb === 'INSERT' && first?.open === -1;
  if (isTop && scan.target !== null && first.select >= 0 && !hasFrom(all, first.select, i)) return [[scan.target.name]];
  return scopes.map((scope) => homes.filter(({ home }) => isSame(home, scope)).map(({ name }) => name));
}

const hasFrom = (all: readonly Lexeme[], from: number, to: number): boolean =>
  all.slice(from, to).some((word) => word.depth === all[from]?.depth && isKeyword(word, 'FROM'));
