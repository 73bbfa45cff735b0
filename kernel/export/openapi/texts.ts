/** The strings of a definition in which accessors stand, by the part of it that reads them. */
import type { AccessorText } from '../../analysis/finds.js';
import { inside } from '../../analysis/report.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';

/** Of an actionable, or of the resource beside its actionables. */
export function textsOf(
  action: ActionModel | null,
  resource?: ResourceModel,
  sequence: readonly ActionModel[] = [],
): AccessorText[] {
  const definition = action?.definition ?? resource?.definition;
  return (definition?.finds.accessors ?? []).filter(({ node }) =>
    action === null ? !sequence.some((one) => inside(node, one.node)) : inside(node, action.node),
  );
}
