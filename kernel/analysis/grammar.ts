/**
 * The part of the definition language that the kernel owns, by slot and by sort of definition. Every other field comes from a plugin
 * through a slot.
 */
import { Slot } from '../contract/slot.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { NODES } from './grammar-schemas.js';

/** What a model may say beside its fields; an object under one of these names is a field like any other. */
export const BESIDE_FIELDS: FieldNode = NODES.beside;

/** Objects of a slot that the grammar opens: kernel-owned fields before any plugin has added its own. */
export const GRAMMAR: Readonly<Record<string, FieldNode>> = Object.freeze({
  [Slot.RESOURCE]: NODES.resource,
  [Slot.ACTIONABLE]: NODES.actionable,
  [Slot.MODEL]: NODES.model,
});

/** What a whole definition is, by its sort. */
export const ROOT_FIELDS: Readonly<Record<'resource' | 'model', FieldNode>> = Object.freeze({
  resource: { ...EMPTY_OBJECT, parts: [Slot.RESOURCE] },
  model: NODES.model,
});

/** Which invented keys stand for a field of resources, for telling what a file is meant to be. */
export const MEANT_FOR_RESOURCE: ReadonlyMap<string, string> = new Map(
  Object.entries(NODES.resource.meta.mistaken ?? {}).flatMap(([key, right]) =>
    typeof right === 'string' || right.rename === undefined ? [] : [[key, right.rename]],
  ),
);

/** Slots open before any plugin is read. */
export const OPEN_SLOTS: readonly string[] = Object.values(Slot);
