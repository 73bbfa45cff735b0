/** Changes before files are moved: names of models that follow their file, and paths to files. */
import { basename, dirname, join, relative, sep } from 'node:path';
import type { TextEdit } from 'vscode-languageserver';
import { toModelName } from '../../language/analysis/classify.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import { getFixedPart } from '../../language/project/definition-files.js';
import { createDocumentContext } from '../document-context.js';
import { listFieldsInRange } from '../fields-in-range.js';
import type { Project } from '../project.js';
import { planRename } from './rename-plan.js';
import { getSymbolIndex, toSymbolLocation } from './symbol-locations.js';

/** Absolute names, of files or folders. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

export interface MoveEdits {
  /** By absolute name of the file, where it is before the move. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** Why a name could not follow its file. */
  readonly refused: readonly string[];
}

export function planMoves(project: Project, moves: readonly FileMove[]): MoveEdits {
  const edits = new Map<string, TextEdit[]>();
  const addEdits = (file: string, list: readonly TextEdit[]): void =>
    void edits.set(file, [...(edits.get(file) ?? []), ...list]);
  const refused: string[] = [];
  for (const symbol of getSymbolIndex(project).symbols.values()) {
    const own = symbol.occurrences.find(({ form }) => form === 'file');
    if (own === undefined) continue;
    const { file } = toSymbolLocation(project, own);
    const moved = moveName(moves, file);
    const name = moved === null ? symbol.name : toModelName(basename(moved));
    if (name === symbol.name) continue;
    const made = planRename(project, symbol, name);
    if (typeof made === 'string') refused.push(`${symbol.name} is not renamed in definitions: ${made}`);
    else for (const [where, list] of made.edits) addEdits(where, list);
  }
  for (const file of [join(project.folder, CONFIG_NAME), ...project.files.keys()]) {
    const list = listPathEdits(project, file, moves);
    if (list.length > 0) addEdits(file, list);
  }
  return { edits, refused };
}

/** The new name of a file or folder; null if it stays where it is. */
function moveName(moves: readonly FileMove[], name: string): string | null {
  for (const { from, to } of moves)
    if (name === from || name.startsWith(from + sep)) return to + name.slice(from.length);
  return null;
}

const EVERYTHING = { start: { line: 0, character: 0 }, end: { line: Number.MAX_SAFE_INTEGER, character: 0 } };

/** Of the config and of test files; a definition names no files. */
function listPathEdits(project: Project, file: string, moves: readonly FileMove[]): TextEdit[] {
  const isConfig = project.isConfig(file);
  if (!isConfig && !/\.test\.jsonc?$/.test(file)) return [];
  const view = createDocumentContext(project, file);
  if (view === null) return [];
  return listFieldsInRange(view, EVERYTHING).flatMap(({ level: { field }, node, range }) => {
    if (node.type !== 'string' || field === null) return [];
    const { path, complete } = field.meta;
    const text = String(node.scalar);
    const [base, newBase] =
      path === 'sibling' ? [dirname(file), dirname(moveName(moves, file) ?? file)] : [project.folder, project.folder];
    const isPath = path !== undefined || complete?.source === 'glob';
    const made = isPath && isLocal(text) ? movePath(text, moves, base, newBase) : null;
    return made === null ? [] : [{ range, newText: JSON.stringify(made) }];
  });
}

/** `builtin:*` and URLs are no paths. */
const isLocal = (text: string): boolean => text !== '' && !/^!?[a-z][a-z0-9+.-]+:/i.test(text);

/** Null if the path stays as it is. The part behind the first wildcard of a pattern is kept. */
function movePath(text: string, moves: readonly FileMove[], base: string, newBase: string): string | null {
  const sign = text.startsWith('!') ? '!' : '';
  const pattern = text.slice(sign.length);
  const fixed = /[*?[\]{}()]/.test(pattern) ? getFixedPart(pattern) : pattern;
  const rest = pattern.slice(fixed.length);
  const named = join(base, fixed).replace(/[\\/]$/, '');
  const moved = moveName(moves, named) ?? named;
  if (moved === named && base === newBase) return null;
  const written = relative(newBase, moved).split(sep).join('/') || '.';
  const dots = pattern.startsWith('./') && !written.startsWith('.') ? './' : '';
  const end = fixed.endsWith('/') ? '/' : '';
  const result = `${sign}${dots}${written}${end}${rest}`;
  return result === text ? null : result;
}
