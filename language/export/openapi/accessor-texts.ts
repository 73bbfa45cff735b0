/** Finds strings with accessors by the part of the definition that contains them. */
import type { AccessorText } from '../../analysis/facts.js';
import { isInside } from '../../analysis/report.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';

/** Strings of an actionable, or of the resource outside its actionables (`sequence`). */
export function listTexts(
  action: ActionModel | null,
  resource?: ResourceModel,
  sequence: readonly ActionModel[] = [],
): AccessorText[] {
  const definition = action?.definition ?? resource?.definition;
  return (definition?.finds.accessors ?? []).filter(({ node }) =>
    action === null ? !sequence.some((one) => isInside(node, one.node)) : isInside(node, action.node),
  );
}
