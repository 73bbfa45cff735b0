/** Reads the request body, and named values from other actionables. */
import { createUnresolvedFault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { PlanTools } from '../../../contract/plan.js';
import { compilePath } from '../../../language/strings/path.js';
import { accessor, type CompiledAccessor } from '../kind.js';

export default defineRuntime(accessor, { create: () => ({ compile }) });

function compile(tail: readonly string[], tools: PlanTools): CompiledAccessor {
  const [root, ...rest] = tail;
  if (root === undefined) return { constant: false, read: (frame) => frame.payload };
  const name = `$PAYLOAD.${tail.join('.')}`;
  const slot = tools.slot(root);
  const optional = tools.absentIsNull || tools.payloadField(root, ...rest)?.optional === true;
  const read = compilePath(slot === null ? tail : rest);
  if (slot === null && !optional) tools.recordRequiredPath(tail);
  return {
    constant: false,
    field: slot === null ? root : null,
    read: (frame) => {
      const value = slot === null ? read(frame.payload) : read(frame.slots[slot]);
      if (value !== undefined) return value;
      if (optional) return null;
      throw createUnresolvedFault(name, tail);
    },
  };
}
