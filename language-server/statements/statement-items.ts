/** Leads completions inside a definition back to the statement in an editor of its own. */
import type { CompletionItem, Range, TextEdit } from 'vscode-languageserver';
import { toPlainText } from '../completion/edit.js';
import { InsertTextFormat } from '../protocol.js';
import { applyFileEdits, readParameters } from './locate-statement.js';
import type { StatementDocument } from './statement-document.js';
import { formatLegendLine } from './statement-text.js';

/** Null where an item changes more than the statement and its parameters. */
export function toStatementItem(item: CompletionItem, statement: StatementDocument): CompletionItem | null {
  const { textEdit, additionalTextEdits = [], insertTextFormat, ...rest } = item;
  if (textEdit === undefined || !('range' in textEdit)) return null;
  const range = statement.toStatementRange(textEdit.range);
  const added = additionalTextEdits.length === 0 ? [] : addLegendLines(additionalTextEdits, statement);
  if (range === null || added === null) return null;
  // Statements have no places to fill in.
  const text = insertTextFormat === InsertTextFormat.Snippet ? toPlainText(textEdit.newText) : textEdit.newText;
  return {
    ...rest,
    textEdit: { range, newText: JSON.parse(`"${text}"`) as string },
    ...(rest.filterText !== undefined && { filterText: unescapeText(rest.filterText) }),
    ...(added.length > 0 && { additionalTextEdits: added }),
  };
}

function unescapeText(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

function addLegendLines(edits: readonly TextEdit[], statement: StatementDocument): TextEdit[] | null {
  const { view, located, text, doc, toPosition } = statement;
  const { pointer, binds } = located;
  if (binds === null) return null;
  const toOffsets = ({ start, end }: Range): { start: number; end: number } => ({
    start: view.offsetAt(start),
    end: view.offsetAt(end),
  });
  const changed = applyFileEdits(
    view.doc.text,
    edits.map(({ range, newText }) => ({ ...toOffsets(range), text: newText })),
  );
  const before = text.parameters ?? located.content.parameters ?? [];
  const lines = (readParameters(changed, pointer, binds) ?? [])
    .slice(before.length)
    .map((value, i) => formatLegendLine(before.length + i + 1, value))
    .join('\n');
  if (lines === '') return null;
  const at = toPosition(text.legendEnd);
  const isFirst = text.legendEnd === 0;
  const newText = isFirst ? `${lines}\n${doc.text.startsWith('\n') ? '' : '\n'}` : `\n${lines}`;
  return [{ range: { start: at, end: at }, newText }];
}
