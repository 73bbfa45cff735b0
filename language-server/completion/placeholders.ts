/** Completes placeholders: existing ones, and the next one, with or without a value for the parameter list. */
import type { CompletionItem, Range } from 'vscode-languageserver';
import { CompletionItemKind } from '../protocol.js';
import { formatParameter, describeParameter } from '../queries/parameters.js';
import type { QueryContext } from '../queries/query-context.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { addParameters } from './parameter-edit.js';

interface PlaceholderOptions {
  readonly range: Range;
  /** The column that the value is compared with or written to. */
  readonly column: string | null;
  readonly rank: string;
  readonly text: (n: number) => string;
  readonly label?: (n: number) => string;
}

export function placeholderItems(
  view: DocumentContext,
  site: CursorContext,
  query: QueryContext,
  wanted: PlaceholderOptions,
): CompletionItem[] {
  const { parameters, resource, action, field } = query;
  const { range, column, rank, text, label: called = text } = wanted;
  const around = { registry: view.registry, resource, action };
  const createItem = (n: number, label: string, order: string, more: Partial<CompletionItem>): CompletionItem => ({
    label,
    kind: CompletionItemKind.Variable,
    filterText: called === text ? label : `"${label}"`,
    sortText: `${rank}${order}${String(n).padStart(3, '0')}`,
    textEdit: { range, newText: text(n) },
    ...more,
  });
  const shorts = parameters.map((node) => formatParameter(node, { action }));
  const known = parameters.map((node, i) =>
    createItem(i + 1, called(i + 1), shorts[i] === column ? 'a' : 'c', {
      detail: shorts[i] ?? '',
      documentation: { kind: 'markdown', value: `\`$${i + 1}\` is ${describeParameter(node, around)}.` },
    }),
  );
  const next = parameters.length + 1;
  const names = listValueNames(query, column).filter((name) => !shorts.includes(name));
  const added = names.map((name) =>
    createItem(next, `${called(next)} = ${name}`, name === column ? 'b' : 'e', {
      detail: `adds "${name}" to ${field.meta.binds ?? 'the values'}`,
      additionalTextEdits: addParameters(view, site, query, [name]),
    }),
  );
  const bare = createItem(next, called(next), 'd', { detail: `the next entry of ${field.meta.binds ?? 'the values'}` });
  return [...known, ...added.filter(({ additionalTextEdits }) => (additionalTextEdits ?? []).length > 0), bare];
}

function listValueNames({ resource, action }: QueryContext, column: string | null): string[] {
  if (resource === null) return [];
  const all = resource.sources.listNames(action?.key ?? null).map(({ name }) => name);
  // The column's name is offered as a payload field even without a rule.
  return [...new Set(column === null || all.includes(column) ? all : [column, ...all])];
}
