/** Models as tables: lookup by name, columns, and their Markdown. */
import { TIMESTAMPS } from '../../contract/model.js';
import { mapModelsByAlias } from '../../language/analysis/tables.js';
import type { DataModel } from '../../language/analysis/model.js';
import type { Document } from '../../language/source/document.js';
import { joinBlocks } from '../../language/export/markdown.js';
import type { Json } from '../../contract/json.js';
import type { SqlOutput, SqlSource } from '../../plugins/queries/sql/text/sources.js';
import { findMember } from '../../language/source/tree.js';
import { toCodeSpan } from '../safe-markdown.js';
import type { DocumentContext } from '../document-context.js';
import { modelFieldMarkdown, modelMarkdown } from '../describe-models.js';
import { ruleText } from '../describe-rules.js';

export interface Tables {
  readonly models: readonly DataModel[];
  /** The model with this table or collection name, in any spelling. */
  findModel(name: string): DataModel | undefined;
}

export function getTables(view: DocumentContext): Tables {
  const { models } = view.recentAnalysis;
  const byName = new Map(models.map((model) => [model.name, model]));
  const byAlias = mapModelsByAlias([...byName.keys()]);
  return { models, findModel: (name) => byName.get(byAlias.get(name.toLowerCase()) ?? '') };
}

export interface Column {
  readonly name: string;
  /** Null for a column of a subquery. */
  readonly model: DataModel | null;
  /** The model's field; null for columns that statements add. */
  readonly field: Readonly<Record<string, Json>> | null;
  /** For a part of an object: the path to it, starting with the model field. */
  readonly path?: readonly string[];
}

/** Columns of the model, then the timestamps that every table can have. */
export function listColumns(model: DataModel): Column[] {
  const own = model.fields.map(({ name, value }): Column => ({ name, model, field: value }));
  const names = new Set(own.map(({ name }) => name));
  const added = [...new Set([...model.added, ...TIMESTAMPS])].filter((name) => !names.has(name));
  return [...own, ...added.map((name): Column => ({ name, model, field: null }))];
}

/** Columns of a source; empty if unknown. */
export function columnsIn(tables: Tables, source: SqlSource, seen = new Set<unknown>()): Column[] {
  const { table, outputs } = source;
  if (table !== null) {
    const model = tables.findModel(table);
    return model === undefined ? [] : listColumns(model);
  }
  // Guards against cycles in recursive CTEs.
  if (outputs === null || seen.has(outputs)) return [];
  seen.add(outputs);
  const columns = outputs.flatMap((output: SqlOutput): Column[] =>
    typeof output === 'string'
      ? [{ name: output, model: null, field: null }]
      : output.flatMap((inner) => columnsIn(tables, inner, seen)),
  );
  return columns.filter(({ name }, i) => columns.findIndex((one) => one.name === name) === i);
}

/** E.g. `String, max_length 320, unique`. */
export const columnType = ({ registry }: DocumentContext, { field }: Column): string =>
  field === null ? '' : ruleText(registry, field);

export const tableMarkdown = (view: DocumentContext, model: DataModel): string =>
  joinBlocks(modelMarkdown(view, model), commentAbove(getRootDocument(model.definition.doc).text, null));

export function columnMarkdown(view: DocumentContext, column: Column): string {
  const { name, model, field, path } = column;
  if (model !== null && path !== undefined)
    return `**${toCodeSpan(path.join('.'))}** of the model ${toCodeSpan(model.name)}: ${columnType(view, column)}`;
  if (model === null) return `**${name}**, a column of the sub-query`;
  if (field === null)
    return `**${name}** of \`${model.name}\`, which does not define it: it is there as soon as statements use it.`;
  const member = findMember(model.definition.node, name);
  const comment = member === undefined ? '' : commentAbove(model.definition.doc.text, member.keyStart);
  return joinBlocks(modelFieldMarkdown(view, model, name), comment);
}

/** The whole file, because comments above a definition are outside of its window. */
const getRootDocument = (doc: Document): Document => (doc.within === null ? doc : getRootDocument(doc.within.doc));

/** The line comment directly above an offset; with null, at the start of the text. */
function commentAbove(text: string, offset: number | null): string {
  const lines = offset === null ? text.split(/\r?\n/) : text.slice(0, offset).split(/\r?\n/).slice(0, -1).reverse();
  const found: string[] = [];
  for (const line of lines) {
    const comment = /^\s*\/\/\s?(.*)$/.exec(line)?.[1];
    if (comment === undefined) break;
    found.push(comment.replace(/[<>&]/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign] ?? sign));
  }
  return (offset === null ? found : found.reverse()).join(' ').trim();
}
