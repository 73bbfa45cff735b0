/** The values in a range of a file with their fields. */
import type { Position, Range } from 'vscode-languageserver';
import { getConfigField } from '../language/analysis/config.js';
import { listChildLevels, levelAt, type Level } from '../language/analysis/levels.js';
import { ROOT_FIELDS } from '../language/analysis/grammar.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { rangeAt, type Document } from '../language/source/document.js';
import type { LocatedNode } from '../language/source/tree.js';
import type { DocumentContext } from './document-context.js';

export interface FieldInRange {
  readonly level: Level;
  readonly node: LocatedNode;
  readonly range: Range;
}

export function listFieldsInRange(view: DocumentContext, range: Range): FieldInRange[] {
  const found: FieldInRange[] = [];
  const visit = (doc: Document, level: Level): void => {
    const { node } = level;
    if (node === null) return;
    const here = rangeAt(doc, node.start, node.end);
    if (!isOverlapping(here, range)) return;
    found.push({ level, node, range: here });
    for (const child of listChildLevels(view.registry, level)) visit(doc, child);
  };
  const visitRoot = (doc: Document, node: LocatedNode | null, field: FieldNode): void =>
    visit(doc, levelAt(view.registry, node, field));
  if (view.project.isConfig(view.name)) visitRoot(view.doc, view.tree.root, getConfigField(view.registry));
  else for (const { doc, node, sort } of view.definitions) visitRoot(doc, node, ROOT_FIELDS[sort]);
  return found;
}

export const isOverlapping = (a: Range, b: Range): boolean => !isBefore(a.end, b.start) && !isBefore(b.end, a.start);

export const isBefore = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);
