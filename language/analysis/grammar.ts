/** The kernel's fields of definitions. All other fields come from plugins. */
import { Slot } from '../../contract/slot.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { NODES } from './grammar-schemas.js';

/** An object under one of these names is a field of the model. */
export const MODEL_SETTINGS: FieldNode = NODES.beside;

export const GRAMMAR: Readonly<Record<string, FieldNode>> = Object.freeze({
  [Slot.RESOURCE]: NODES.resource,
  [Slot.ACTIONABLE]: NODES.actionable,
  [Slot.MODEL]: NODES.model,
});

export const ROOT_FIELDS: Readonly<Record<'resource' | 'model' | 'test', FieldNode>> = Object.freeze({
  resource: { ...EMPTY_OBJECT, parts: [Slot.RESOURCE] },
  model: NODES.model,
  test: NODES.test,
});

/** Maps made-up keys to resource fields, for classification. */
export const RESOURCE_ONLY_FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries(NODES.resource.meta.mistaken ?? {}).flatMap(([key, right]) =>
    typeof right === 'string' || right.rename === undefined ? [] : [[key, right.rename]],
  ),
);

/** The slots that exist before any plugin is loaded. */
export const OPEN_SLOTS: readonly string[] = Object.values(Slot);
