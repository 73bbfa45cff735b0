/** Parses only the definition at the cursor, so that completion is fast between keystrokes. */
import { classifyDefinitions } from '../language/analysis/classify.js';
import { walkDefinition } from '../language/analysis/walk-definition.js';
import { createWalkResult, type WalkResult } from '../language/analysis/facts.js';
import type { Definition } from '../language/analysis/model.js';
import { createReport } from '../language/analysis/report.js';
import type { Registry } from '../language/analysis/registry.js';
import { createDocument, type Document } from '../language/source/document.js';
import type { LocatedNode } from '../language/source/tree.js';
import { parseSource } from '../language/source/parse.js';
import { findClosingOffset, type Cursor } from '../language/source/cursor.js';

export interface CursorDefinition {
  readonly definition: Definition | null;
  /** The parsed node: the file's root, or an entry of its list. */
  readonly node: LocatedNode | null;
  /** Number of path segments from the file's root to `node`. */
  readonly depth: number;
}

export function parseAtCursor(registry: Registry, doc: Document, { path, opened, offset }: Cursor): CursorDefinition {
  const inList = typeof path[0] === 'number';
  const [, start] = opened;
  if (inList && start === undefined) return { definition: null, node: null, depth: 1 };
  const node = inList && start !== undefined ? parseEntryAt(doc, start) : parseSource(doc).root;
  const depth = inList ? 1 : 0;
  if (node === null) return { definition: null, node, depth };
  const found = classifyDefinitions(doc, node, createReport(registry.codes), true);
  const around = found.filter((one) => one.node.start <= offset && offset <= one.node.end).at(-1) ?? null;
  return { definition: around && withFinds(registry, around), node, depth };
}

/** The offsets are those of the file. */
function parseEntryAt(doc: Document, start: number): LocatedNode | null {
  const { root } = parseSource(createDocument(doc.file, doc.text.slice(start, findClosingOffset(doc.text, start))));
  return root === null ? null : shiftNode(root, start);
}

const shiftNode = (node: LocatedNode, by: number): LocatedNode => ({
  ...node,
  start: node.start + by,
  end: node.end + by,
  items: node.items.map((item) => shiftNode(item, by)),
  members: node.members.map(({ key, keyStart, keyEnd, value }) => ({
    key,
    keyStart: keyStart + by,
    keyEnd: keyEnd + by,
    value: value === null ? null : shiftNode(value, by),
  })),
});

/** Facts are collected on first access. */
function withFinds(registry: Registry, definition: Definition): Definition {
  let finds: WalkResult | null = null;
  return {
    ...definition,
    get finds() {
      if (finds === null) {
        finds = createWalkResult();
        walkDefinition({ ...definition, finds }, registry, createReport(registry.codes));
      }
      return finds;
    },
  };
}
