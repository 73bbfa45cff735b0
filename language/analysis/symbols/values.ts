/** Finds the model of a name in a result, and of a bare parameter. */
import type { LocatedNode } from '../../source/tree.js';
import { isInside } from '../report.js';
import type { Analysis } from '../analysis.js';
import type { ActionModel } from '../model.js';
import { getLookup } from './lookup.js';

/** Null if the result lacks the name or is unknown; `made` if the query defines the name. */
export function findOrigin(analysis: Analysis, { node, definition }: ActionModel, name: string): string | null {
  const { statements, documents } = definition.finds;
  const [only, other] = [...statements, ...documents].filter((query) => isInside(query.node, node));
  if (only === undefined || other !== undefined) return null;
  if ('scan' in only) {
    const known = analysis.names.get(only.node);
    return known?.origins.get(name) ?? (known?.columns?.includes(name) === true ? 'made' : null);
  }
  // A pipeline may rename every field.
  if (only.around.members.some(({ value }) => value?.type === 'array' && isStages(value))) return null;
  const model = getLookup(analysis).model(only.collection);
  return model !== undefined && getLookup(analysis).hasField(model, name) ? model : null;
}

const isStages = ({ items }: LocatedNode): boolean =>
  items.some(({ members }) => members.some(({ key }) => key.startsWith('$')));

/** Null if several models of the actionable have the column. */
export function findParameterModel(analysis: Analysis, { models }: ActionModel, name: string): string | null {
  const [only, other] = models.filter((model) => getLookup(analysis).hasField(model, name));
  return only === undefined || other !== undefined ? null : only;
}
