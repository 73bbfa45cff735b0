/**
 * A file in its current state with its project. Resolves offsets to definitions and fields; features convert the results to the
 * protocol.
 */
import type { Position, Range as LspRange } from 'vscode-languageserver';
import { getConfigField } from '../language/analysis/config.js';
import { isTestFile } from '../language/analysis/classify.js';
import { resolveLevels, type Level } from '../language/analysis/levels.js';
import { MODEL_SETTINGS, ROOT_FIELDS } from '../language/analysis/grammar.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { Definition } from '../language/analysis/model.js';
import type { Registry } from '../language/analysis/registry.js';
import type { Problem } from '../contract/problem.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { findCursor, type Cursor } from '../language/source/cursor.js';
import { createDocument, offsetInFile, rangeAt, type Document } from '../language/source/document.js';
import { toDecodedOffset } from '../language/source/escapes.js';
import { parseDamagedSource } from '../language/source/repair.js';
import type { LocatedNode, SourceTree } from '../language/source/tree.js';
import type { Project, Snapshot } from './project.js';
import { parseAtCursor } from './definition-at-cursor.js';
import { toFileUri } from './uri.js';

export interface CursorContext {
  readonly cursor: Cursor;
  /** `config`, or the kind of the definition at the cursor; null if unknown. */
  readonly sort: Definition['sort'] | 'config' | null;
  readonly definition: Definition | null;
  /** Levels from the definition to the cursor; for a key, the last level is its object. */
  readonly levels: readonly Level[];
  /** Decoded string at the cursor and the offset in it; null outside of strings. */
  readonly inside: {
    readonly text: string;
    readonly offset: number;
    readonly start: number;
    readonly end: number;
    /** False if the closing quote is missing. */
    readonly isClosed: boolean;
  } | null;
}

export interface DocumentContext {
  readonly uri: string;
  /** Absolute. */
  readonly name: string;
  readonly project: Project;
  readonly registry: Registry;
  readonly doc: Document;
  readonly tree: SourceTree;
  /** Definitions of this file in `snapshot`. */
  readonly definitions: readonly Definition[];
  /** Of `getAvailableSnapshot`. */
  readonly snapshot: Snapshot;
  readonly analysis: Analysis;
  /** Problems of this file in `snapshot`. */
  readonly problems: readonly Problem[];
  /** An analysis without waiting: the current one, or the previous one after an edit. */
  readonly recentAnalysis: Analysis;
  definitionAt(offset: number): Definition | null;
  getCursorContext(offset: number): CursorContext;
  /** Without waiting for the analysis: after an edit, `definition` is parsed separately and is not part of `analysis`. */
  getTypedCursorContext(offset: number): CursorContext;
  range(start: number, end: number): LspRange;
  offsetAt(position: Position): number;
}

/** `supposed`: a text that the file would have; no analysis knows it, so that definitions are always parsed separately. */
export function createDocumentContext(project: Project, name: string, supposed?: string): DocumentContext | null {
  const text = supposed ?? project.getText(name);
  if (text === null) return null;
  const isSupposed = supposed !== undefined;
  const doc = createDocument(project.toRelativeName(name), text);
  let tree: SourceTree | null = null;
  const view: DocumentContext = {
    uri: toFileUri(name),
    name,
    project,
    get registry() {
      return project.registry;
    },
    doc,
    get tree() {
      return (tree ??= parseDamagedSource(doc));
    },
    get snapshot() {
      return project.getAvailableSnapshot(name);
    },
    get analysis() {
      return project.getAvailableSnapshot(name).analysis;
    },
    get recentAnalysis() {
      return (project.getComputedSnapshot() ?? project.getRecentSnapshot()).analysis;
    },
    get definitions() {
      return [...view.analysis.definitions, ...view.analysis.tests].filter(({ doc: { file } }) => file === doc.file);
    },
    get problems() {
      return project.getAvailableSnapshot(name).problems.filter(({ file }) => file === doc.file);
    },
    definitionAt: (offset) => (isSupposed ? null : findInnermost(view.definitions, offset)),
    getCursorContext: (offset) => createCursorContext(view, offset, isSupposed ? typedRootAt : rootAt),
    getTypedCursorContext: (offset) =>
      createCursorContext(view, offset, isSupposed || project.getComputedSnapshot() === null ? typedRootAt : rootAt),
    range: (start, end) => rangeAt(doc, start, end),
    offsetAt: ({ line, character }) => {
      const start = doc.lineStarts[line];
      if (start === undefined) return line < 0 ? 0 : doc.text.length;
      // Clamps to the end of the line, before the line break (LSP).
      const next = doc.lineStarts[line + 1];
      const broken = next === undefined ? 0 : doc.text.slice(Math.max(start, next - 2), next) === '\r\n' ? 2 : 1;
      return Math.min(start + Math.max(0, character), (next ?? doc.text.length) - broken);
    },
  };
  return view;
}

function findInnermost(definitions: readonly Definition[], offset: number): Definition | null {
  const around = definitions.flatMap((definition) => {
    const { doc, node } = definition;
    const start = offsetInFile(doc, node.start);
    return start <= offset && offset <= offsetInFile(doc, node.end) ? [{ definition, start }] : [];
  });
  return around.sort((a, b) => b.start - a.start)[0]?.definition ?? null;
}

function createCursorContext(view: DocumentContext, offset: number, rootOf: typeof rootAt): CursorContext {
  const cursor = findCursor(view.doc.text, offset);
  const { token } = cursor;
  const inside =
    token?.isString === true && offset > token.start
      ? { ...token, offset: toDecodedOffset(view.doc, token, offset) }
      : null;
  const root = rootOf(view, offset, cursor);
  const own = cursor.path.slice(root.depth);
  const path = cursor.at === 'key' ? own.slice(0, -1) : own;
  const levels = root.field === null ? [] : levelsIn(view.registry, root, root.field, path);
  return { cursor, sort: root.sort, definition: root.definition, levels, inside };
}

/** Options of a model, unless an object is written under that name (then it is a field). */
function levelsIn(
  registry: Registry,
  { sort, definition, node }: Root,
  field: FieldNode,
  path: Cursor['path'],
): readonly Level[] {
  const [name, ...rest] = path;
  const beside = sort === 'model' && typeof name === 'string' ? MODEL_SETTINGS.fields[name] : undefined;
  const isField = node?.members.some(({ key, value }) => key === name && value?.type === 'object') === true;
  if (beside === undefined || isField) return resolveLevels(registry, node, field, path);
  const written = definition?.[name as 'unique' | 'connection' | 'acknowledge'];
  const [first, ...inside] = resolveLevels(registry, written ?? null, beside, rest);
  const model = resolveLevels(registry, node, field, []);
  return first === undefined ? model : [...model, { ...first, key: name ?? null }, ...inside];
}

interface Root {
  readonly sort: CursorContext['sort'];
  readonly definition: Definition | null;
  readonly field: FieldNode | null;
  readonly node: LocatedNode | null;
  /** Number of path segments from the file's root to `node`. */
  readonly depth: number;
}

function rootAt(view: DocumentContext, offset: number, { path }: Cursor): Root {
  const { tree, project, registry } = view;
  if (project.isConfig(view.name)) {
    return { sort: 'config', definition: null, field: getConfigField(registry), node: tree.root, depth: 0 };
  }
  const definition = view.definitionAt(offset);
  if (definition !== null) {
    const { sort, node, doc } = definition;
    // Pointers of a definition in a window start there.
    const entry = doc.within !== null && tree.root?.type === 'array' ? 1 : 0;
    return { sort, definition, field: ROOT_FIELDS[sort], node, depth: entry + node.pointer.split('/').length - 1 };
  }
  const inList = typeof path[0] === 'number';
  const node = inList ? (tree.root?.items[Number(path[0])] ?? null) : tree.root;
  return guessRoot(view, node, inList ? 1 : 0);
}

function typedRootAt(view: DocumentContext, offset: number, cursor: Cursor): Root {
  if (view.project.isConfig(view.name)) return rootAt(view, offset, cursor);
  const { definition, node, depth } = parseAtCursor(view.registry, view.doc, cursor);
  if (definition === null) return guessRoot(view, node, depth);
  const { sort } = definition;
  const own = definition.node.pointer.split('/').length - 1;
  return { sort, definition, field: ROOT_FIELDS[sort], node: definition.node, depth: depth + own };
}

/** The content does not reveal the kind yet, but the file's name may. */
function guessRoot({ name }: DocumentContext, node: LocatedNode | null, depth: number): Root {
  const sort = guessSort(name);
  return { sort, definition: null, field: ROOT_FIELDS[sort], node, depth };
}

/** `_users.model.json` contains a model; other files and documents without a file contain resources. */
function guessSort(name: string): Definition['sort'] {
  if (isTestFile(name)) return 'test';
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  if (/\.model\.jsonc?$/.test(base) || base.startsWith('_')) return 'model';
  return 'resource';
}
