/**
 * Models as tables: which one a name means, its columns, and what is told of both as Markdown. The words of a field are what
 * its model writes, and the comment above it.
 */
import { TIMESTAMPS } from '../../kernel/analysis/sql/catalogue.js';
import { modelsByAlias } from '../../kernel/analysis/tables.js';
import type { DataModel } from '../../kernel/analysis/model.js';
import type { Document } from '../../kernel/source/document.js';
import { blocks } from '../../kernel/export/markdown.js';
import type { Json } from '../../kernel/contract/json.js';
import type { SqlOutput, SqlSource } from '../../kernel/language/sql-sources.js';
import { memberOf } from '../../kernel/source/tree.js';
import { inCode } from '../safe-markdown.js';
import type { View } from '../view.js';
import { modelFieldMarkdown, modelMarkdown } from '../words-models.js';
import { ruleText } from '../words-rules.js';

export interface Tables {
  readonly models: readonly DataModel[];
  /** The model behind a name of a table or collection, in any of its spellings. */
  modelOf(name: string): DataModel | undefined;
}

export function tablesOf(view: View): Tables {
  const { models } = view.known;
  const byName = new Map(models.map((model) => [model.name, model]));
  const byAlias = modelsByAlias([...byName.keys()]);
  return { models, modelOf: (name) => byName.get(byAlias.get(name.toLowerCase()) ?? '') };
}

export interface Column {
  readonly name: string;
  /** Null for a column of a sub-query. */
  readonly model: DataModel | null;
  /** As the model writes it; null for what statements add. */
  readonly field: Readonly<Record<string, Json>> | null;
  /** Of a part of an object: the names that lead to it, the field of the model first. */
  readonly path?: readonly string[];
}

/** Those of the model first, then the dates that every table can have. */
export function columnsOf(model: DataModel): Column[] {
  const own = model.fields.map(({ name, value }): Column => ({ name, model, field: value }));
  const names = new Set(own.map(({ name }) => name));
  const added = [...new Set([...model.added, ...TIMESTAMPS])].filter((name) => !names.has(name));
  return [...own, ...added.map((name): Column => ({ name, model, field: null }))];
}

/** What a source gives; empty where it is not known. */
export function columnsIn(tables: Tables, source: SqlSource, seen = new Set<unknown>()): Column[] {
  const { table, outputs } = source;
  if (table !== null) {
    const model = tables.modelOf(table);
    return model === undefined ? [] : columnsOf(model);
  }
  // Entries of a recursive list name one another, and what was seen adds no name.
  if (outputs === null || seen.has(outputs)) return [];
  seen.add(outputs);
  const columns = outputs.flatMap((output: SqlOutput): Column[] =>
    typeof output === 'string'
      ? [{ name: output, model: null, field: null }]
      : output.flatMap((inner) => columnsIn(tables, inner, seen)),
  );
  return columns.filter(({ name }, i) => columns.findIndex((one) => one.name === name) === i);
}

/** `String, max_length 320, unique`. */
export const columnType = ({ registry }: View, { field }: Column): string =>
  field === null ? '' : ruleText(registry, field);

/** The model, and the comment at the beginning of its file. */
export const tableMarkdown = (view: View, model: DataModel): string =>
  blocks(modelMarkdown(view, model), commentAbove(wholeOf(model.definition.doc).text, null));

/** The field, and the comment above it. */
export function columnMarkdown(view: View, column: Column): string {
  const { name, model, field, path } = column;
  if (model !== null && path !== undefined)
    return `**${inCode(path.join('.'))}** of the model ${inCode(model.name)}: ${columnType(view, column)}`;
  if (model === null) return `**${name}**, a column of the sub-query`;
  if (field === null)
    return `**${name}** of \`${model.name}\`, which does not define it: it is there as soon as statements use it.`;
  const member = memberOf(model.definition.node, name);
  const comment = member === undefined ? '' : commentAbove(model.definition.doc.text, member.keyStart);
  return blocks(modelFieldMarkdown(view, model, name), comment);
}

/** What stands above a definition is no part of its window. */
const wholeOf = (doc: Document): Document => (doc.within === null ? doc : wholeOf(doc.within.doc));

/** The comment in the lines right above an offset; at the beginning of the text without one. */
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
