/** Explains a failed request as `check` explains a definition: place, reason, types of parameters, help. */
import type { Fault } from '../contract/fault.js';
import { fillMessage, type Problem } from '../contract/problem.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import type { SqlText } from '../language/analysis/facts.js';
import type { ActionModel, ResourceModel } from '../language/analysis/model.js';
import { isInside } from '../language/analysis/report.js';
import { locateWord } from '../plugins/queries/sql/text/word.js';
import { formatCodeFrame, type StyleText } from '../language/source/code-frame.js';
import { rangeAt, type Document } from '../language/source/document.js';
import { locateInString } from '../language/source/escapes.js';

/** Null where the failure belongs to no actionable, or its definition has changed. */
export function explainFailure(kernel: Kernel, fault: Fault, paint: StyleText): string | null {
  const { where, code } = fault;
  const analysis = kernel.analysis();
  const found = findAction(analysis.resources, where.action);
  const entry = kernel.project.registry.codes[code];
  if (found === null || entry === undefined) return null;
  const { resource, action } = found;
  const { doc, finds } = action.definition;
  const [statement, other] = finds.statements.filter(({ node }) => isInside(node, action.node));
  const only = other === undefined ? statement : undefined;
  const spot = only === undefined ? null : locateFailure(doc, only, fault);
  const { start, end } = spot ?? only?.node ?? action.node;
  const problem: Problem = {
    code,
    severity: 'error',
    file: doc.file,
    range: rangeAt(doc, start, end),
    related: [],
    message: [fillMessage(entry.message, fault.params).replace(/\.$/, ''), ...listReasons(fault)].join(': '),
  };
  const frame = formatCodeFrame(problem, analysis.documents.get(doc.file), paint, resource.id);
  const types = only === undefined ? '' : formatTypes(kernel, only);
  const notes = [types, entry.help].filter((note) => note !== '').map((note) => `  ${paint('dim', note)}`);
  return [frame, ...notes].join('\n');
}

/** Null: the statement as a whole, or a word that Lintel has added. */
function locateFailure(
  doc: Document,
  statement: SqlText,
  { options: { word } }: Fault,
): { readonly start: number; readonly end: number } | null {
  const at = word === undefined ? null : locateWord(statement.scan, word);
  return at === null ? null : locateInString(doc, statement.node, statement.language.locateToken(statement.scan, at));
}

/** An actionable of another resource may have failed, so keys are compared. */
function findAction(
  resources: readonly ResourceModel[],
  key: string | undefined,
): { readonly resource: ResourceModel; readonly action: ActionModel } | null {
  for (const resource of resources) {
    const action = resource.actions.find((one) => one.key === key);
    if (action !== undefined) return { resource, action };
  }
  return null;
}

/** Texts of databases and of Lintel; those that may quote a value are removed. */
function listReasons({ options: { cause }, params }: Fault): readonly string[] {
  if (cause instanceof Error && cause.message !== '') return [cause.message];
  const { host, what } = params;
  return [host, what].flatMap((one) => (typeof one === 'string' ? [one] : []));
}

function formatTypes(kernel: Kernel, statement: SqlText): string {
  const parameters = kernel.describeStatement(statement)?.parameters ?? [];
  return parameters.length === 0 ? '' : `parameters: ${parameters.map((type, i) => `$${i + 1} ${type}`).join(', ')}`;
}
