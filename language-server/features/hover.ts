/** Hover: returns the first result of the sources in `hovers/`, the most specific first. */
import type { Hover, HoverParams } from 'vscode-languageserver';
import type { Feature } from '../server-context.js';
import { createCaretHandler } from '../statements/caret-handler.js';
import { hoverAccessor } from '../hovers/accessors.js';
import { hoverDocumentQuery } from '../hovers/documents.js';
import { hoverFieldName, hoverFieldValue } from '../hovers/fields.js';
import { hoverName } from '../hovers/names.js';
import { hoverSchedule } from '../hovers/schedules.js';
import type { HoverSource } from '../hovers/hover-source.js';
import { hoverSharedName } from '../hovers/shared-names.js';
import { hoverSql } from '../hovers/sql.js';
import { hoverEnumValue, hoverPluginName } from '../hovers/values.js';
import { describeValueType } from '../queries/database-types.js';
import type { DocumentContext } from '../document-context.js';

const SOURCES: readonly HoverSource[] = [
  hoverAccessor,
  hoverSql,
  hoverDocumentQuery,
  hoverSchedule,
  hoverName,
  hoverSharedName,
  hoverPluginName,
  hoverEnumValue,
  hoverFieldName,
  hoverFieldValue,
];

export const hover: Feature = {
  capabilities: () => ({ hoverProvider: true }),
  attach: (server) =>
    server.connection.onHover(
      createCaretHandler<HoverParams, Hover | null>(server, null, findHover, (found, statement) => {
        const range = found?.range === undefined ? null : statement.toStatementRange(found.range);
        return found === null || range === null ? null : { ...found, range };
      }),
    ),
};

/** The pointer is on the character after `offset`. */
export const findHover = (view: DocumentContext, offset: number): Hover | null =>
  findHoverAt(view, offset) ?? findHoverAt(view, offset + 1);

/** Does not wait for the analysis; sources that need names request it. */
function findHoverAt(view: DocumentContext, offset: number): Hover | null {
  const site = view.getTypedCursorContext(offset);
  if (site.cursor.token === null) return null;
  for (const source of SOURCES) {
    const found = source(view, site);
    if (found === null) continue;
    const { start, end } = found;
    const type = describeValueType(view, offset);
    const value = type === '' ? found.markdown : `${found.markdown}\n\n${type}`;
    return { contents: { kind: 'markdown', value }, range: view.range(start, end) };
  }
  return null;
}
