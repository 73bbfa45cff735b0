/** The `server-timing` header. It must not contain request values. */
import type { ActionTiming, Invocation } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { Stage } from '../../../contract/slot.js';
import { observer } from '../kind.js';

export default defineRuntime(observer, {
  register(hooks) {
    const arrivals = new WeakMap<Invocation, number>();
    hooks.tap('accept', (invocation) => void arrivals.set(invocation, performance.now()), { stage: Stage.FIRST });
    hooks.tap(
      'reply',
      (reply, invocation) => {
        const total = performance.now() - (arrivals.get(invocation) ?? performance.now());
        const parts = [`total;dur=${total.toFixed(1)}`, ...(invocation.timings ?? []).map(formatEntry)];
        return { ...reply, headers: { ...reply.headers, 'server-timing': parts.join(', ') } };
      },
      { stage: Stage.LAST, takesText: true },
    );
  },
});

/** Replaces characters of ids that a header cannot carry. */
const formatEntry = ({ key, mode, milliseconds }: ActionTiming): string =>
  `${mode.toLowerCase()};desc="${key.replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}";dur=${milliseconds.toFixed(1)}`;
