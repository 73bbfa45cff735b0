/** Hover: returns the first result of the sources in `hovers/`, the most specific first. */
import type { Hover, HoverParams } from 'vscode-languageserver';
import { answering, type Feature } from '../desk.js';
import { accessors } from '../hovers/accessors.js';
import { documentHover } from '../hovers/documents.js';
import { fieldNames, fieldValues } from '../hovers/fields.js';
import { names } from '../hovers/names.js';
import { schedules } from '../hovers/schedules.js';
import type { HoverSource } from '../hovers/source.js';
import { sqlHover } from '../hovers/sql.js';
import { enumValues, pluginNames } from '../hovers/values.js';
import type { View } from '../view.js';

const SOURCES: readonly HoverSource[] = [
  accessors,
  sqlHover,
  documentHover,
  schedules,
  names,
  pluginNames,
  enumValues,
  fieldNames,
  fieldValues,
];

export const hover: Feature = {
  capabilities: () => ({ hoverProvider: true }),
  attach: (desk) =>
    desk.connection.onHover(
      answering<HoverParams, Hover | null>(desk, null, (view, { position }) => hoverIn(view, view.offsetAt(position))),
    ),
};

/** The pointer is on the character after `offset`; a token that starts there does not contain `offset` itself. */
export const hoverIn = (view: View, offset: number): Hover | null => toldAt(view, offset) ?? toldAt(view, offset + 1);

/** Does not wait for the analysis; sources that need names request it. */
function toldAt(view: View, offset: number): Hover | null {
  const site = view.typedSiteAt(offset);
  if (site.cursor.token === null) return null;
  for (const source of SOURCES) {
    const told = source(view, site);
    if (told === null) continue;
    const { markdown, start, end } = told;
    return { contents: { kind: 'markdown', value: markdown }, range: view.range(start, end) };
  }
  return null;
}
