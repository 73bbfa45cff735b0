/** Finds the origin of a name in a document query, which the symbol index lacks: a model field or a stage. */
import type { Location } from 'vscode-languageserver';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember } from '../../language/source/tree.js';
import { documentNamesAt, findMeaning, type Meaning } from '../queries/document-scope.js';
import { namePlaceAt, pathIn, valuePlaceAt } from '../queries/documents.js';
import { documentQueryAt, type DocumentQueryContext } from '../queries/query-context.js';
import { getTables } from '../queries/tables.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

export interface NameOrigin {
  readonly doc: Document;
  readonly range: Location['range'];
}

export function findDocumentOrigin(view: DocumentContext, offset: number): NameOrigin | null {
  const site = view.getCursorContext(offset);
  const { token, at } = site.cursor;
  const query = token?.isString === true && at !== 'none' ? documentQueryAt(view, site) : null;
  if (query === null || token === null) return null;
  if (at === 'key') {
    const isName = namePlaceAt(site, query.depth)?.fields !== undefined;
    return isName ? findOrigin(view, site, query, token.text) : null;
  }
  const kind = valuePlaceAt(site, query.depth)?.text;
  if (kind === 'collection') {
    const model = getTables(view).findModel(token.text);
    return model === undefined ? null : createOrigin(model.definition.doc, model.definition.nameSpot);
  }
  const path = pathIn(kind, token.text);
  return path === null ? null : findOrigin(view, site, query, path);
}

function findOrigin(
  view: DocumentContext,
  site: CursorContext,
  query: DocumentQueryContext,
  path: string,
): NameOrigin | null {
  const meaning = findMeaning(documentNamesAt(view, site, query), path);
  return meaning === undefined
    ? null
    : 'stage' in meaning
      ? findStageOrigin(query.doc, meaning, path)
      : findFieldOrigin(meaning);
}

/** The member that creates the name; the whole operand if there is none. */
function findStageOrigin(doc: Document, { operand }: Extract<Meaning, { stage: string }>, path: string): NameOrigin {
  const [root = path] = path.split('.');
  const named = operand.members.flatMap((member) => [member, ...(member.value?.members ?? [])]);
  const member = named.find(({ key }) => key.split('.')[0] === root);
  if (member !== undefined) return createOrigin(doc, { start: member.keyStart, end: member.keyEnd });
  const text = operand.members.find(({ value }) => value?.scalar === root || value?.scalar === `$${root}`)?.value;
  return createOrigin(doc, text ?? operand);
}

function findFieldOrigin({
  column: { name, model, path = [name] },
}: Extract<Meaning, { column: object }>): NameOrigin | null {
  if (model === null) return null;
  const { doc, node } = model.definition;
  let member = findMember(node, path[0] ?? name);
  for (const inner of path.slice(1)) {
    const properties = member?.value ? findMember(member.value, 'properties')?.value : null;
    member = properties ? findMember(properties, inner) : undefined;
  }
  return member === undefined ? null : createOrigin(doc, { start: member.keyStart, end: member.keyEnd });
}

const createOrigin = (doc: Document, { start, end }: { readonly start: number; readonly end: number }): NameOrigin => ({
  doc,
  range: rangeAt(doc, start, end),
});
