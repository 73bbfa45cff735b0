/**
 * Compiles one statement at load: dialect text, value readers, and the mapping of database errors to payload fields.
 */
import type { StatementText } from '../../../contract/statement-text.js';
import { Fault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { asText, escapePointer, type Json } from '../../../contract/json.js';
import type { ModelColumn } from '../../../contract/model.js';
import type { Frame, Hide, IsolationNeed, ParameterPlan, PlanTools } from '../../../contract/plan.js';
import { scanSql } from './text/scan.js';
import { rewriteSql } from './text/rewrite.js';
import type { Dialect, PreparedStatement, BoundStatement, Isolation, Row, RowsOfTwo } from '../../dialects/kind.js';
import { planBlindIndexes, type BlindIndexFactory } from './blind.js';
import { createParameterValidator } from './columns.js';
import { toLexemes } from './text/read.js';

export interface SqlConnection {
  readonly name: string;
  readonly dialect: Dialect;
}

/** One statement in place of the two of a transaction. */
export interface FusedStatement {
  readonly text: string;
  readonly bind: (frame: Frame) => BoundStatement;
  readonly splitRows: (rows: readonly Row[]) => RowsOfTwo;
}

export interface SqlStatement {
  readonly scan: StatementText;
  readonly prepared: PreparedStatement;
  /** Null where it runs on its own. */
  readonly need: IsolationNeed | null;
  /** Removes hidden columns from the rows; null: none. */
  readonly hide: Hide | null;
  /** The last statement of its transaction: the driver may commit with it. */
  last: boolean;
  /** Sent in place of this one and the last. */
  fused: FusedStatement | null;
  readonly parameters: readonly ParameterPlan[];
  /** It runs once for each item of a list. */
  readonly isRepeated: boolean;
  /** In the order of the placeholders' numbers. */
  readonly inputs: readonly SqlInput[];
  readonly columns: readonly ModelColumn[];
  readonly values: (frame: Frame) => unknown[];
  /** Returns the fault with issues that point at payload fields. */
  readonly named: (error: Fault) => Fault;
  readonly describe: { readonly connection: string; readonly sql: string; readonly parameters: readonly string[] };
}

type Bind = (frame: Frame) => unknown;

/** The value of one placeholder. */
export interface SqlInput {
  readonly bind: Bind;
  readonly isJson: boolean;
  /** The slot that provides the value; null for any other value. */
  readonly slot: number | null;
  /** Known before the actionables in front of this one have run. */
  readonly isEarly: boolean;
}

export function makeStatement(
  value: Readonly<Record<string, Json>>,
  pointer: string,
  tools: PlanTools,
  { name, dialect }: SqlConnection,
  indexOf: BlindIndexFactory,
): SqlStatement {
  const blind = planBlindIndexes(scanSql(asText(value['query'])), tools, indexOf);
  const { scan, now } = rewriteSql(blind.scan, {
    timestamps: value['with_timestamps'] === true,
    softDelete: value['soft_delete'] === true,
  });
  const all = Array.isArray(value['parameters']) ? (value['parameters'] as readonly Json[]) : [];
  // The instant uses the number after the last placeholder; later parameters are unused.
  const last = now === null || blind.isRewritten ? all.length : now - 1;
  const parameters = blind.bind(
    all.slice(0, last).map((json, index) => tools.parameter(json, `${pointer}/parameters/${index}`)),
  );
  const jsonNames = new Set(tools.columns.filter((column) => column.type === 'json').map((column) => column.name));
  const jsonColumns = parameters.map((_, index) =>
    scan.placeholders.some(({ n, column }) => n === index + 1 && column !== null && jsonNames.has(column)),
  );
  const need = resolveNeed(dialect, tools.isolation);
  const { lock = null, among = false, level } = need ?? {};
  const prepared = dialect.prepare({
    scan,
    jsonColumns,
    lock,
    tables: tools.tables,
    atOnce: tools.parallel,
    among: among && level === 'statement',
  });
  const inputs = createBindings(prepared, parameters).map((read, index): SqlInput => {
    const { slot = null, isInput = false, field = null } = parameters[index] ?? {};
    const validate = createParameterValidator(scan, tools.columns, index + 1);
    const at = field === null ? null : `/${escapePointer(field)}`;
    return {
      bind: validate === null ? read : (frame) => validate(read(frame), at),
      isJson: jsonColumns[index] === true,
      slot,
      isEarly: isInput,
    };
  });
  if (now !== null) inputs.push({ bind: (frame) => frame.now(), isJson: false, slot: null, isEarly: true });
  const binds = inputs.map(({ bind }) => bind);
  const labels = parameters.map(({ source, label }, index) => `$${index + 1} = ${label} (${source})`);
  const describe = {
    connection: name,
    sql: prepared.text,
    parameters: now === null ? labels : [...labels, `$${now} = the instant of the request`],
  };
  return {
    scan,
    prepared,
    need,
    hide: blind.hide,
    last: false,
    fused: null,
    parameters,
    isRepeated: tools.repeat !== null,
    inputs,
    columns: tools.columns,
    values: (frame) => binds.map((bind) => bind(frame)),
    named: createFaultMapper(scan, createIssueMapper(parameters, mapFieldsByColumn(scan.placeholders, parameters))),
    describe,
  };
}

/** Literal JSON text is bound to a JSON column as JSON; any other value is serialized. */
function createBindings(prepared: PreparedStatement, parameters: readonly ParameterPlan[]): Bind[] {
  return parameters.map(({ read, literal }, index) => {
    if (prepared.json[index] !== true || typeof literal !== 'string') return read;
    const parsed = tryParseJson(literal);
    return parsed === undefined ? read : () => parsed;
  });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** If no value of the request causes it, the definition fails, not the caller. */
function createFaultMapper(scan: StatementText, mapIssues: SqlStatement['named']): SqlStatement['named'] {
  const isOfCaller = isDividedByPlaceholder(scan);
  return (error) => {
    if (error.options.isDivision !== true || isOfCaller) return mapIssues(error);
    return new Fault('QRY_FAILED', {}, { cause: error.options.cause });
  };
}

/** Maps columns and parameters in database errors to payload fields, which the caller knows. */
function createIssueMapper(
  parameters: readonly ParameterPlan[],
  fieldOf: ReadonlyMap<string, string | null>,
): SqlStatement['named'] {
  const mapIssue = (issue: Issue): Issue[] => {
    const { pointer } = issue;
    const isParameter = pointer.startsWith('$');
    const field = isParameter ? parameters[Number(pointer.slice(1)) - 1]?.field : fieldOf.get(pointer.slice(1));
    if (field) return [{ ...issue, pointer: `/${escapePointer(field)}` }];
    return isParameter ? [] : [issue];
  };
  // Columns that the caller did not send are omitted where others remain.
  const isForeign = ({ pointer }: Issue): boolean => fieldOf.get(pointer.slice(1)) === null;
  return (error) => {
    const { issues } = error.options;
    if (issues === undefined) return error;
    const sent = issues.filter((issue) => !isForeign(issue));
    return new Fault(error.code, error.params, {
      ...error.options,
      issues: (sent.length > 0 ? sent : issues).flatMap(mapIssue),
    });
  };
}

/** The payload field written to each column; null for a value from elsewhere. */
function mapFieldsByColumn(
  placeholders: readonly { readonly n: number; readonly column: string | null }[],
  parameters: readonly ParameterPlan[],
): Map<string, string | null> {
  const fields = new Map<string, string | null>();
  for (const { n, column } of placeholders) {
    const field = parameters[n - 1]?.field ?? null;
    if (column !== null) fields.set(column, field ?? fields.get(column) ?? null);
  }
  return fields;
}

const ONE: Isolation = { level: 'statement', among: false };

/** Where a connection runs even single statements as serializable, all units are. */
const resolveNeed = (connection: Dialect, need: IsolationNeed | null): IsolationNeed | null =>
  need !== null && connection.isolation(ONE) === 'serializable' ? { ...need, among: true } : need;

/** True where a placeholder is in a divisor, or the second argument of a dividing function. */
export function isDividedByPlaceholder({ text, tokens }: Pick<StatementText, 'text' | 'tokens'>): boolean {
  const all = toLexemes(text, tokens);
  return all.some((word, i) => {
    const isOperator = word.type === 'operator' && (word.text === '/' || word.text === '%');
    const isCall = word.type === 'word' && /^(?:MOD|DIV)$/.test(word.text);
    return (isOperator || isCall) && readOperand(all, i + 1).some(({ type }) => type === 'placeholder');
  });
}

/** A value, a call, or what is in parentheses. */
function readOperand(all: ReturnType<typeof toLexemes>, from: number): ReturnType<typeof toLexemes> {
  const open = all.findIndex(({ type }, i) => i >= from && type !== 'word' && type !== 'dot');
  const first = all[open];
  if (first?.type !== 'open') return all.slice(from, from + 1);
  const close = all.findIndex(({ type, depth }, i) => i > open && type === 'close' && depth === first.depth);
  // What is not closed is no statement.
  return all.slice(from, close);
}
