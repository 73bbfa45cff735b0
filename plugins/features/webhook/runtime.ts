/**
 * The guard of webhooks. Everything is settled at load, where each verifier refuses settings that it cannot use; a request is
 * asked, and that is all. Every refusal looks the same from outside.
 */
import { BootError } from '../../../kernel/contract/boot-error.js';
import { fault } from '../../../kernel/contract/fault.js';
import type { Frame, PlanTools } from '../../../kernel/contract/plan.js';
import { ResourcePhase } from '../../../kernel/contract/slot.js';
import { defineRuntime, type Log } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';
import { strategy } from '../../kinds/strategy.js';
import { verifier, type Verdict } from '../../kinds/verifier.js';
import { modeOf, verifiersOf } from './verifications.light.js';

export default defineRuntime(feature, {
  create: ({ resolve, log }) => ({
    plan: ({ value: { webhook } }, tools) => {
      const planned = verifiersOf(webhook).map(([name, options]) => {
        const handle = resolve(verifier, name);
        return {
          name,
          needsBody: handle.needsBody,
          proof: handle.proof?.(options) ?? 'header',
          verify: handle.plan(options, tools),
        };
      });
      if (planned.length === 0) throw new BootError('WHK_NONE', {});
      const mode = modeOf(webhook);
      // Nothing is read of a sender whom an address or a header refuses already.
      const asked = planned.toSorted((a, b) => Number(a.needsBody) - Number(b.needsBody));
      const verdict = resolve(strategy, mode).combine(asked.map(({ verify }) => verify));
      const judge = judging(tools, log);
      return {
        steps: [
          {
            id: 'webhook',
            phase: ResourcePhase.ADMIT,
            // A token is looked at first: it needs no body.
            order: 50,
            run: async (frame) => judge(frame, await verdict(frame.invocation)),
          },
        ],
        // Perhaps the weakest of them is enough.
        proof: planned.some(({ proof }) => proof === 'ambient') ? 'ambient' : 'header',
        // What a sender signs are the bytes of a request.
        requestOnly: true,
        // How they are combined means something where there are several.
        guard: `webhook: ${planned.length > 1 ? `${mode} of ` : ''}${planned.map(({ name }) => name).join(', ')}`,
      };
    },
  }),
});

const NO_STORE = { headers: { 'cache-control': 'no-store' } };

function judging({ place }: PlanTools, log: Log): (frame: Frame, verdict: Verdict) => void {
  return ({ invocation, headers }, verdict) => {
    if (verdict !== true) {
      log.debug({ resource: place, request: invocation.id, reason: verdict.refused }, 'webhook refused');
      throw fault('WHK_REFUSED', {}, NO_STORE);
    }
    headers['cache-control'] = 'no-store';
  };
}
