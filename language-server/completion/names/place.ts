/** A place where names are wanted, and what a source of names answers. */
import type { Level } from '../../../kernel/analysis/descend.js';
import type { Definition } from '../../../kernel/analysis/model.js';
import { memberOf, type LocatedNode } from '../../../kernel/source/tree.js';
import type { Site, View } from '../../view.js';

export interface NamePlace {
  readonly view: View;
  readonly site: Site;
  /** What the names are of, where the field says so. */
  readonly of: string | undefined;
  /** What stands in a sibling of the field (or of the list that the field is an item of). */
  readonly sibling: (name: string) => LocatedNode | null;
  /** Name of the sibling in which the owner of the names is named. */
  readonly within: string | undefined;
  /** Segments that are typed already, where names have names inside. */
  readonly path: readonly string[];
}

export interface Name {
  readonly name: string | number;
  /** A few words beside it. */
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly doc?: string | undefined;
}

export type NameSource = (place: NamePlace) => readonly Name[];

interface Asked {
  readonly of?: string | undefined;
  readonly within?: string | undefined;
  readonly path?: readonly string[];
}

export function namePlace(view: View, site: Site, { of, within, path = [] }: Asked = {}): NamePlace {
  const holder = holderOf(site.levels);
  const sibling = (name: string): LocatedNode | null => (holder?.node && memberOf(holder.node, name)?.value) ?? null;
  return { view, site, of, within, path, sibling };
}

/** The object whose fields the schema names, around the caret. */
function holderOf(levels: readonly Level[]): Level | null {
  return levels.slice(0, -1).findLast(({ expansion }) => expansion !== null) ?? null;
}

/** Definitions as they were analysed last; the one around the caret as it is typed. */
export function definitionsAround({ view, site }: Pick<NamePlace, 'view' | 'site'>): readonly Definition[] {
  const { definition: own } = site;
  const others = view.project.recent().analysis.definitions;
  if (own === null || others.includes(own)) return others;
  const id = idOf(own);
  return [own, ...others.filter((one) => one.doc.file !== own.doc.file || one.sort !== own.sort || idOf(one) !== id)];
}

export const idOf = ({ sort, name, node }: Definition): string => (sort === 'model' ? name : textIn(node, 'id'));

export function textIn(node: LocatedNode, key: string): string {
  const scalar = memberOf(node, key)?.value?.scalar;
  return scalar === undefined || scalar === null ? '' : String(scalar);
}

/** What people see of a value where there is little room. */
export function inShort(json: unknown, most = 60): string {
  const text = typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

export const uniqueNames = (names: readonly Name[]): Name[] =>
  [...new Map([...names].reverse().map((one) => [one.name, one])).values()].reverse();
