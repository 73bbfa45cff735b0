/** Finds the origin of a name in a document query: a model field or a stage. The symbol index does not contain such names. */
import type { Location } from 'vscode-languageserver';
import { rangeAt, type Document } from '../../language/source/document.js';
import { memberOf } from '../../language/source/tree.js';
import { documentNamesAt, meaningOf, type Meaning } from '../queries/document-scope.js';
import { namePlaceAt, pathIn, valuePlaceAt } from '../queries/documents.js';
import { documentQueryAt, type DocumentSite } from '../queries/query-site.js';
import { tablesOf } from '../queries/tables.js';
import type { Site, View } from '../view.js';

export interface Origin {
  readonly doc: Document;
  readonly range: Location['range'];
}

export function documentOrigin(view: View, offset: number): Origin | null {
  const site = view.siteAt(offset);
  const { token, at } = site.cursor;
  const query = token?.isString === true && at !== 'none' ? documentQueryAt(view, site) : null;
  if (query === null || token === null) return null;
  if (at === 'key') {
    const isName = namePlaceAt(site, query.depth)?.fields !== undefined;
    return isName ? originOf(view, site, query, token.text) : null;
  }
  const kind = valuePlaceAt(site, query.depth)?.text;
  if (kind === 'collection') {
    const model = tablesOf(view).modelOf(token.text);
    return model === undefined ? null : placed(model.definition.doc, model.definition.nameSpot);
  }
  const path = pathIn(kind, token.text);
  return path === null ? null : originOf(view, site, query, path);
}

function originOf(view: View, site: Site, query: DocumentSite, path: string): Origin | null {
  const meaning = meaningOf(documentNamesAt(view, site, query), path);
  return meaning === undefined ? null : 'stage' in meaning ? ofStage(query.doc, meaning, path) : ofField(meaning);
}

/** The member that creates the name; the whole operand if there is none. */
function ofStage(doc: Document, { operand }: Extract<Meaning, { stage: string }>, path: string): Origin {
  const [root = path] = path.split('.');
  const named = operand.members.flatMap((member) => [member, ...(member.value?.members ?? [])]);
  const member = named.find(({ key }) => key.split('.')[0] === root);
  if (member !== undefined) return placed(doc, { start: member.keyStart, end: member.keyEnd });
  const text = operand.members.find(({ value }) => value?.scalar === root || value?.scalar === `$${root}`)?.value;
  return placed(doc, text ?? operand);
}

function ofField({ column: { name, model, path = [name] } }: Extract<Meaning, { column: object }>): Origin | null {
  if (model === null) return null;
  const { doc, node } = model.definition;
  let member = memberOf(node, path[0] ?? name);
  for (const inner of path.slice(1)) {
    const properties = member?.value ? memberOf(member.value, 'properties')?.value : null;
    member = properties ? memberOf(properties, inner) : undefined;
  }
  return member === undefined ? null : placed(doc, { start: member.keyStart, end: member.keyEnd });
}

const placed = (doc: Document, { start, end }: { readonly start: number; readonly end: number }): Origin => ({
  doc,
  range: rangeAt(doc, start, end),
});
