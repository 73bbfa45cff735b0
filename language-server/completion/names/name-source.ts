/** Input and output of name sources. */
import type { Level } from '../../../language/analysis/levels.js';
import type { Definition } from '../../../language/analysis/model.js';
import { findMember, type LocatedNode } from '../../../language/source/tree.js';
import type { CursorContext, DocumentContext } from '../../document-context.js';

export interface NameSourceInput {
  readonly view: DocumentContext;
  readonly site: CursorContext;
  /** Argument of the source, if the field specifies one. */
  readonly of: string | undefined;
  /** Value of a sibling of the field (or of the list that contains it). */
  readonly findSibling: (name: string) => LocatedNode | null;
  /** Name of the sibling that names the owner. */
  readonly within: string | undefined;
  /** Segments that are already typed. */
  readonly path: readonly string[];
}

export interface Name {
  readonly name: string | number;
  /** Short text next to the name. */
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly doc?: string | undefined;
}

export type NameSource = (place: NameSourceInput) => readonly Name[];

interface NameSourceOptions {
  readonly of?: string | undefined;
  readonly within?: string | undefined;
  readonly path?: readonly string[];
}

export function createNameSourceInput(
  view: DocumentContext,
  site: CursorContext,
  { of, within, path = [] }: NameSourceOptions = {},
): NameSourceInput {
  const holder = findOwnerLevel(site.levels);
  const findSibling = (name: string): LocatedNode | null =>
    (holder?.node && findMember(holder.node, name)?.value) ?? null;
  return { view, site, of, within, path, findSibling };
}

/** The innermost object with fields defined by the schema. */
function findOwnerLevel(levels: readonly Level[]): Level | null {
  return levels.slice(0, -1).findLast(({ expansion }) => expansion !== null) ?? null;
}

/** All definitions as last analysed; the one at the cursor in its current state. */
export function listDefinitions({ view, site }: Pick<NameSourceInput, 'view' | 'site'>): readonly Definition[] {
  const { definition: own } = site;
  const others = view.project.getRecentSnapshot().analysis.definitions;
  if (own === null || others.includes(own)) return others;
  const id = getDefinitionId(own);
  return [
    own,
    ...others.filter((one) => one.doc.file !== own.doc.file || one.sort !== own.sort || getDefinitionId(one) !== id),
  ];
}

export const getDefinitionId = ({ sort, name, node }: Definition): string =>
  sort === 'model' ? name : getMemberText(node, 'id');

export function getMemberText(node: LocatedNode, key: string): string {
  const scalar = findMember(node, key)?.value?.scalar;
  return scalar === undefined || scalar === null ? '' : String(scalar);
}

export function formatShort(json: unknown, most = 60): string {
  const text = typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

export const uniqueNames = (names: readonly Name[]): Name[] =>
  [...new Map([...names].reverse().map((one) => [one.name, one])).values()].reverse();
