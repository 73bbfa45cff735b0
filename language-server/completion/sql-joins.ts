/** Completes joins along the foreign keys of the models: the joined table with its condition, or the condition alone. */
import type { CompletionItem } from 'vscode-languageserver';
import { isObject } from '../../contract/json.js';
import type { DataModel } from '../../language/analysis/model.js';
import type { SqlSource } from '../../plugins/queries/sql/text/sources.js';
import { isSqlWord } from '../../plugins/queries/sql/text/words.js';
import { CompletionItemKind } from '../protocol.js';
import type { Tables } from '../queries/tables.js';

interface Link {
  /** The column of the table that is there. */
  readonly own: string;
  readonly other: DataModel;
  readonly column: string;
  /** The table that has the foreign key. */
  readonly holder: string;
}

export interface JoinOffer {
  readonly text: string;
  readonly detail: string;
}

type Quote = (name: string) => string;

/** `_order o ON o.user_id = u.id`, for each table that is linked with one of the sources. */
export function listJoins(tables: Tables, sources: readonly SqlSource[], quote: Quote): JoinOffer[] {
  const taken = new Set(sources.map(({ alias }) => alias.toLowerCase()));
  return sources.flatMap((source) => {
    const model = findModel(tables, source);
    if (model === undefined) return [];
    return listLinks(tables, model).map(({ own, other, column, holder }): JoinOffer => {
      const alias = createAlias(other.table, taken);
      const condition = `${quote(alias)}.${quote(column)} = ${quote(source.alias)}.${quote(own)}`;
      return {
        text: `${quote(other.table)} ${quote(alias)} ON ${condition}`,
        detail: `by the foreign key of ${holder}`,
      };
    });
  });
}

/** Behind ON: how the last table is linked with those before it. */
export function listJoinConditions(tables: Tables, sources: readonly SqlSource[], quote: Quote): JoinOffer[] {
  const joined = sources.at(-1);
  const model = joined && findModel(tables, joined);
  if (joined === undefined || model === undefined) return [];
  const links = listLinks(tables, model);
  return sources.slice(0, -1).flatMap((source) =>
    links
      .filter(({ other }) => findModel(tables, source) === other)
      .map(({ own, column, holder }) => ({
        text: `${quote(joined.alias)}.${quote(own)} = ${quote(source.alias)}.${quote(column)}`,
        detail: `by the foreign key of ${holder}`,
      })),
  );
}

const findModel = (tables: Tables, { table }: SqlSource): DataModel | undefined =>
  table === null ? undefined : tables.findModel(table);

function readReference(
  tables: Tables,
  { value }: DataModel['fields'][number],
): { readonly model: DataModel; readonly key: string } | null {
  const reference = value['foreign_key'];
  if (!isObject(reference) || typeof reference['of'] !== 'string' || typeof reference['key'] !== 'string') return null;
  const model = tables.findModel(reference['of']);
  return model === undefined ? null : { model, key: reference['key'] };
}

/** Models that this one refers to, then those that refer to it. */
function listLinks(tables: Tables, model: DataModel): Link[] {
  const to = model.fields.flatMap((field): Link[] => {
    const reference = readReference(tables, field);
    return reference === null
      ? []
      : [{ own: field.name, other: reference.model, column: reference.key, holder: model.table }];
  });
  const from = tables.models.flatMap((other) =>
    other.fields.flatMap((field): Link[] => {
      const reference = other === model ? null : readReference(tables, field);
      return reference?.model === model ? [{ own: reference.key, other, column: field.name, holder: other.table }] : [];
    }),
  );
  return [...to, ...from];
}

/** The first letters of a table's words, with a number where they are taken: `_order_item` is `oi`. */
export function createAlias(table: string, taken: ReadonlySet<string>): string {
  const letters = [...table.matchAll(/(?:^|[^a-z0-9])([a-z])/gi)]
    .map(([, letter = '']) => letter.toLowerCase())
    .join('');
  const short = letters === '' ? 't' : letters;
  for (let n = 1; ; n++) {
    const alias = n === 1 ? short : `${short}${n}`;
    if (!taken.has(alias) && !isSqlWord(alias)) return alias;
  }
}

export const toJoinItem = (
  { text, detail }: JoinOffer,
  i: number,
  edit: (text: string) => NonNullable<CompletionItem['textEdit']>,
): CompletionItem => ({
  label: text,
  kind: CompletionItemKind.Reference,
  detail,
  sortText: `00${String(i).padStart(3, '0')}`,
  filterText: text,
  textEdit: edit(text),
});
