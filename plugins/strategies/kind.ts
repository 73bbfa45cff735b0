/** Kind `strategy`: combines the results of several verifiers. The list is never empty. */
import { defineKind } from '../../contract/kind.js';
import type { Invocation } from '../../contract/plan.js';
import { wrapInResource } from '../shared/examples.light.js';
import type { VerificationResult, Verify } from '../verifiers/kind.js';

export interface Strategy {
  combine(verifiers: readonly Verify[]): (invocation: Invocation) => VerificationResult | Promise<VerificationResult>;
}

export const strategy = defineKind<Strategy>({
  kind: 'strategy',
  title: 'Verification strategy',
  summary: 'How several verifiers of a webhook are combined.',
  slots: [],
  select: { by: 'name' },
  facts: {
    enough: { doc: '`one`: it is enough that one verifier accepts the request.', type: 'string', required: false },
  },
  handle: ['combine'],
  host: (fragment) => {
    const HmacSignatureVerifier = { sig_header: '$HEADER.x-signature', secret_key: '$ENV.EXAMPLE_KEY' };
    const host = wrapInResource({
      webhook: { verifications: { composition_strategy_mode: fragment, HmacSignatureVerifier } },
    });
    return { ...host, at: '/webhook/verifications/composition_strategy_mode' };
  },
});
