/** The types that a database inferred for a statement, as Markdown; empty while none has described it as it is written. */
import type { SqlText } from '../../language/analysis/facts.js';
import { offsetInFile } from '../../language/source/document.js';
import type { DocumentContext } from '../document-context.js';
import type { StatementDescription } from '../../contract/statement-check.js';

/** For the statement's verb: everything. */
export function describeStatementTypes(view: DocumentContext, offset: number): string {
  const found = findDescription(view, offset, ({ node }) => [node]);
  if (found === null) return '';
  const { parameters, columns } = found.description;
  const lines = [
    ...(columns.length === 0
      ? []
      : [`Returns ${columns.map(({ name, type }) => formatCode(`${name} ${type}`)).join(', ')}`]),
    ...(parameters.length === 0
      ? []
      : [`Takes ${parameters.map((type, i) => formatCode(`$${i + 1} ${type}`)).join(', ')}`]),
  ];
  return lines.join('\n\n');
}

/** For a placeholder inside the statement. */
export function describePlaceholderType(view: DocumentContext, offset: number, n: number): string {
  const type = findDescription(view, offset, ({ node }) => [node])?.description.parameters[n - 1];
  return type === undefined ? '' : formatType(type);
}

/** For an entry of the list of values. */
export function describeValueType(view: DocumentContext, offset: number): string {
  const found = findDescription(view, offset, ({ parameters }) => parameters);
  const type = found?.description.parameters[found.index];
  return type === undefined ? '' : formatType(type);
}

interface FoundDescription {
  readonly description: StatementDescription;
  /** Of the node that contains the offset. */
  readonly index: number;
}

function findDescription(
  view: DocumentContext,
  offset: number,
  listNodes: (statement: SqlText) => readonly SqlText['node'][],
): FoundDescription | null {
  // Types are shown only where the analysis is current, so that hover never waits for it.
  if (view.project.getComputedSnapshot() === null) return null;
  const definition = view.definitionAt(offset);
  if (definition === null) return null;
  const { doc, finds } = definition;
  for (const statement of finds.statements) {
    const index = listNodes(statement).findIndex(
      ({ start, end }) => offsetInFile(doc, start) <= offset && offset < offsetInFile(doc, end),
    );
    const description = index === -1 ? null : view.project.describeStatement(statement);
    if (description !== null) return { description, index };
  }
  return null;
}

const formatType = (type: string): string => `Type in the database: ${formatCode(type)}`;
const formatCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
