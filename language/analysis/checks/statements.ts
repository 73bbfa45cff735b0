/** Checks statements in the languages that they are written in. Returns certain result columns. */
import type { StatementFinding, StatementFix, StatementParser } from '../../../contract/query-language.js';
import type { Catalogue, Columns, ColumnUse, StatementNames } from '../../../contract/statement-text.js';
import { listAccessors } from '../../strings/accessor.js';
import type { Document } from '../../source/document.js';
import { locateInString, toDocumentOffset } from '../../source/escapes.js';
import type { LocatedNode } from '../../source/tree.js';
import type { WalkResult, SqlText } from '../facts.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { resolveEdits } from '../fix-factory.js';
import { type Report, type ReportOptions, createFix } from '../report.js';
import type { Stores } from '../stores.js';
import { findMiscasedAccessors } from './accessor-suggestions.js';
import { suggestAccessorFor, findTemplates, type Template } from './templates.js';

export interface StatementContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly catalogue: Catalogue;
  readonly sql: StatementParser | undefined;
  readonly stores: Pick<Stores, 'listPlacedQueries'>;
}

export interface CheckedStatements {
  readonly answers: Map<LocatedNode, Columns>;
  /** Placeholders bound to columns. */
  readonly columnUses: Map<SqlText, readonly ColumnUse[]>;
  readonly names: Map<LocatedNode, StatementNames>;
}

export type ResultColumns = Map<LocatedNode, Columns>;

export function checkStatements(context: StatementContext, definition: Definition, results: CheckedStatements): void {
  const { doc, finds } = definition;
  const { report, catalogue, sql: parser, stores } = context;
  const isNamed = (column: string): boolean => isNamedIn(finds, column);
  for (const statement of finds.statements) {
    if (reportTemplates(context, doc, statement) || parser === undefined || !isSingleStatement(statement)) continue;
    const { node, language, scan, binds = 'parameters' } = statement;
    const placed = stores.listPlacedQueries(definition).find(({ query }) => query === statement);
    const isForeign = (placed?.syntax ?? parser.syntax) !== parser.syntax;
    const isDated = hasTimestamps(statement);
    const found = language.check({ scan, parser, catalogue, isForeign, binds, isDated, isNamed });
    for (const finding of found.findings) reportFinding(report, doc, node, finding);
    if (found.columns !== undefined) results.answers.set(node, found.columns);
    if (found.uses !== null) results.columnUses.set(statement, found.uses);
    if (found.names !== null) results.names.set(node, found.names);
  }
}

/** `with_timestamp…` fills the timestamp columns. */
const hasTimestamps = ({ around }: SqlText): boolean =>
  around?.members.some(({ key, value }) => key.startsWith('with_timestamp') && value?.scalar === true) === true;

function reportFinding(report: Report, doc: Document, node: LocatedNode, finding: StatementFinding): void {
  const { code, params, fix, cause } = finding;
  const options = { ...(fix !== undefined && toFix(doc, node, fix)), ...(cause !== undefined && { cause }) };
  report.add(code, locateInString(doc, node, finding), params, options);
}

const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1);

function toFix(doc: Document, node: LocatedNode, fix: StatementFix): Pick<ReportOptions, 'fix'> {
  const { title, text, edits, asks } = fix;
  if (edits === undefined) return { fix: { title, text: escapeText(text) } };
  const changes = edits.map((edit) => ({
    start: toDocumentOffset(doc, node, edit.start),
    end: toDocumentOffset(doc, node, edit.end),
    text: escapeText(edit.text),
  }));
  return createFix(title, changes, asks);
}

function isNamedIn({ references, declarations }: WalkResult, column: string): boolean {
  const isRuled = declarations.some(({ symbol, name }) => symbol === 'payload-field' && name === column);
  return references.some(
    ({ refers, name }) => !(refers.symbol === 'name' && isRuled) && String(name).split('.').includes(column),
  );
}

/** Other checks report these statements. */
export const isSingleStatement = ({ scan }: SqlText): boolean =>
  scan.faults.length === 0 && scan.statements === 1 && listAccessors(scan.text).length === 0;

function reportTemplates({ registry, report }: StatementContext, doc: Document, statement: SqlText): boolean {
  const { scan, binds = 'parameters' } = statement;
  const next = Math.max(0, ...scan.placeholders.map(({ n }) => n)) + 1;
  const templates = [...findTemplates(scan.text), ...findLowercaseAccessors(registry, scan.text)].filter(
    ({ start, end }) => !isArrayText(scan, start, end),
  );
  for (const [i, template] of templates.entries()) {
    const { text, path, start, end } = template;
    const accessor = suggestAccessorFor(registry, path);
    const right = accessor ?? path.join('.');
    // Applying the fix changes the numbers of the next placeholders.
    const fix = i === 0 && accessor !== null ? createBindFix(doc, statement, template, next, accessor) : {};
    report.add(
      'TPL_SQL',
      locateInString(doc, statement.node, { start, end }),
      { template: text, n: next, right, binds },
      fix,
    );
  }
  return templates.length > 0;
}

/** Inside a statement, `'$payload.email'` is a string. */
const findLowercaseAccessors = (registry: Registry, text: string): Template[] =>
  findMiscasedAccessors(registry, text).flatMap(({ start, end, right, named }) => {
    const path = right.slice(1).split('.');
    return named && path.length > 1 ? [{ path, text: text.slice(start, end), start, end }] : [];
  });

/** A placeholder replaces the template, and the accessor becomes a parameter. */
function createBindFix(
  doc: Document,
  { scan, node, around, parameters, binds = 'parameters' }: SqlText,
  { start, end }: Template,
  n: number,
  accessor: string,
): Pick<ReportOptions, 'fix'> {
  const text = scan.tokens.find((token) => token.type !== 'operator' && token.start < start && token.end > end);
  const isWhole = text?.type === 'string' && text.start === start - 1 && text.end === end + 1;
  if (around === null || n !== parameters.length + 1 || (text !== undefined && !isWhole)) return {};
  const span = text === undefined ? ([start, end] as const) : ([text.start, text.end] as const);
  const changes = resolveEdits(doc, around, [
    { at: node.pointer.slice(around.pointer.length), span, text: `$${n}` },
    { at: `/${binds}`, add: [accessor] },
  ]);
  return createFix(`write $${n} and put "${accessor}" into "${binds}"`, changes ?? [], true);
}

/** `'{{a}}'::text[]` is an array of arrays. */
const isArrayText = ({ tokens, text }: SqlText['scan'], start: number, end: number): boolean =>
  tokens.some(
    (token, i) =>
      token.type === 'string' &&
      token.start < start &&
      token.end > end &&
      tokens[i + 1]?.type === 'cast' &&
      text.slice(tokens[i + 1]?.start, tokens[i + 1]?.end).endsWith(']'),
  );
