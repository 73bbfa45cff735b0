/** Writes the header from what the request has noted anyway. Names of actionables are in it, values never. */
import type { ActionTiming, Invocation } from '../../../kernel/contract/plan.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { Stage } from '../../../kernel/contract/slot.js';
import { observer } from '../../kinds/observer.js';

export default defineRuntime(observer, {
  register(hooks) {
    const arrivals = new WeakMap<Invocation, number>();
    hooks.tap('accept', (invocation) => void arrivals.set(invocation, performance.now()), { stage: Stage.FIRST });
    hooks.tap(
      'reply',
      (reply, invocation) => {
        const total = performance.now() - (arrivals.get(invocation) ?? performance.now());
        const parts = [`total;dur=${total.toFixed(1)}`, ...(invocation.timings ?? []).map(entry)];
        return { ...reply, headers: { ...reply.headers, 'server-timing': parts.join(', ') } };
      },
      { stage: Stage.LAST },
    );
  },
});

/** An id may hold any letter; a header may not. */
const entry = ({ key, mode, milliseconds }: ActionTiming): string =>
  `${mode.toLowerCase()};desc="${key.replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}";dur=${milliseconds.toFixed(1)}`;
