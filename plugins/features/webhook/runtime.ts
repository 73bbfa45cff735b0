/** Webhook guard. Verifiers validate their settings at load. Every rejection has the same response. */
import { BootError } from '../../../contract/boot-error.js';
import { createFault } from '../../../contract/fault.js';
import type { Frame, PlanTools } from '../../../contract/plan.js';
import { ResourcePhase } from '../../../contract/slot.js';
import type { Json } from '../../../contract/json.js';
import { defineRuntime, type Log, type RuntimeContext } from '../../../contract/plugin.js';
import type { TestRequest } from '../../../contract/tests.js';
import { feature } from '../kind.js';
import { strategy } from '../../strategies/kind.js';
import { verifier, type SenderHeaders, type VerificationResult } from '../../verifiers/kind.js';
import { readCompositionMode, listVerifiers } from './verifications.light.js';

export default defineRuntime(feature, {
  createCredentials: (_handle, request, context) => signRequest(request, context),
  create: ({ resolve, log, dev }) => ({
    plan: ({ value: { webhook } }, tools) => {
      const planned = listVerifiers(webhook).map(([name, options]) => {
        const handle = resolve(verifier, name);
        return {
          name,
          needsBody: handle.needsBody,
          proof: handle.proof?.(options) ?? 'header',
          verify: handle.plan(options, tools),
        };
      });
      if (planned.length === 0) throw new BootError('WHK_NONE', {});
      const mode = readCompositionMode(webhook);
      // Verifiers that need no body run first.
      const ordered = planned.toSorted((a, b) => Number(a.needsBody) - Number(b.needsBody));
      const result = resolve(strategy, mode).combine(ordered.map(({ verify }) => verify));
      const handleResult = createResultHandler(tools, log, dev === true ? 'info' : 'debug');
      return {
        steps: [
          {
            id: 'webhook',
            phase: ResourcePhase.ADMIT,
            // After token guards, which need no body.
            order: 50,
            run: async (frame) => handleResult(frame, await result(frame.invocation)),
          },
        ],
        // The weakest verifier may suffice.
        proof: planned.some(({ proof }) => proof === 'ambient') ? 'ambient' : 'header',
        // Senders sign the bytes of an HTTP request, so connections cannot be verified.
        requestOnly: true,
        // The combination matters only for several verifiers.
        guard: `webhook: ${planned.length > 1 ? `${mode} of ` : ''}${planned.map(({ name }) => name).join(', ')}`,
      };
    },
  }),
});

/** The headers of a sender that every verifier accepts, or rejects. */
async function signRequest(
  { resource, id, signed, path, body, now, text }: TestRequest,
  { resolve }: RuntimeContext,
): Promise<SenderHeaders | null> {
  if (signed === null) return null;
  const tools = { place: id, text: (json: Json) => () => text(json) };
  const all: Record<string, string>[] = [];
  for (const [name, options] of listVerifiers(resource['webhook'])) {
    const handle = resolve(verifier, name);
    if (handle.sign === undefined) throw new Error(`${name} cannot sign requests of tests`);
    const headers = await handle.sign(options, { target: path, body, right: signed, now }, tools);
    if (headers !== null) all.push(headers);
  }
  if (all.length === 0) throw new Error(`no verifier of "${id}" reads a signature, so "signed" has no effect`);
  return Object.assign({}, ...all) as SenderHeaders;
}

const NO_STORE = { headers: { 'cache-control': 'no-store' } };

/** The sender is not to learn the reason, and an attacker must not fill the log. */
function createResultHandler(
  { place }: PlanTools,
  log: Log,
  level: 'info' | 'debug',
): (frame: Frame, result: VerificationResult) => void {
  return ({ invocation, headers }, result) => {
    if (result !== true) {
      log[level]({ resource: place, request: invocation.id, reason: result.refused }, 'webhook rejected');
      throw createFault('WHK_REFUSED', {}, NO_STORE);
    }
    headers['cache-control'] = 'no-store';
  };
}
