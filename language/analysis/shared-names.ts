/** Names that all definitions share: cache keys, rooms, events. What their text means, whatever the accessors in it are. */
import type { SharedKind } from '../../contract/field-meta.js';
import type { WalkResult } from './facts.js';
import type { FieldNode } from '../schema/field-node.js';
import type { LocatedNode } from '../source/tree.js';
import { parseTemplate } from '../strings/accessor.js';

const SHARED: Readonly<Record<SharedKind, true>> = { 'cache-key': true, room: true, event: true };

export const isSharedKind = (symbol: string): symbol is SharedKind => Object.hasOwn(SHARED, symbol);

/** The kind of the name that a text of this field is; null if it is none. */
export function getSharedKind({ meta: { declares, refers } }: Pick<FieldNode, 'meta'>): SharedKind | null {
  const symbol = declares ?? refers?.symbol;
  return symbol !== undefined && isSharedKind(symbol) ? symbol : null;
}

export function addSharedName({ sharedNames }: WalkResult, node: LocatedNode, field: FieldNode): void {
  const symbol = getSharedKind(field);
  if (symbol === null) return;
  const role = field.meta.declares === symbol ? 'declaration' : 'use';
  sharedNames.push({ symbol, role, name: String(node.scalar), node });
}

/** Of an object inside a value: its texts are no names. */
export function omitNames({ meta }: FieldNode): FieldNode['meta'] {
  const { refers: _, verbatim: __, ...rest } = meta;
  return rest;
}

/** Of a list inside a value: it may be one of shared names. */
export const getItemMeta = (field: FieldNode): FieldNode['meta'] =>
  getSharedKind(field) === null ? omitNames(field) : field.meta;

/** A character that no name contains, in the place of each value. */
const VALUE = '\u0000';

/** The same for two texts that differ in their accessors only. */
export const toSharedName = (text: string): string =>
  parseTemplate(text)
    .map((part) => (typeof part === 'string' ? part : VALUE))
    .join('');

/** For display. */
export const formatSharedName = (name: string): string => name.replaceAll(VALUE, '…');

export const countValues = (text: string): number => toSharedName(text).split(VALUE).length - 1;

/** Null if the numbers of accessors differ. The constant text of `newText`, with the accessors of `text`. */
export function respellSharedName(text: string, newText: string): string | null {
  const listValues = (written: string): string[] =>
    parseTemplate(written).flatMap((part) => (typeof part === 'string' ? [] : [written.slice(part.start, part.end)]));
  const [values, newValues] = [listValues(text), listValues(newText)];
  if (values.length !== newValues.length) return null;
  return toSharedName(newText).replaceAll(VALUE, () => values.shift() ?? '');
}
