/** Kind `verifier`: authenticates the sender of an inbound request. Strategies combine several. */
import type { Json } from '../../contract/json.js';
import { isObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { Invocation, PlanTools, ProofSort } from '../../contract/plan.js';
import { pluginName, shape } from '../../contract/combinators.js';
import { wrapInResource } from '../shared/examples.light.js';

/** True: accepted. Never throws because of client input; the reason is logged. */
export type Verify = (invocation: Invocation) => VerificationResult | Promise<VerificationResult>;
export type VerificationResult = true | { readonly refused: string };

export interface Verifier {
  /** Others run first, so that the body of an unauthenticated sender is not read. */
  readonly needsBody: boolean;
  /** What identifies the sender; a header by default. */
  proof?(options: Readonly<Record<string, Json>>): Exclude<ProofSort, 'none'>;
  /** Compiles one entry of `webhook.verifications`. Throws BootError where a secret is missing or invalid. */
  plan(options: Readonly<Record<string, Json>>, tools: PlanTools): Verify;
  /** For `lintel test`: headers of a sender; `right` false: for another body or secret. Null where none are read. */
  sign?(
    options: Readonly<Record<string, Json>>,
    sent: SignedRequest,
    tools: Pick<PlanTools, 'text' | 'place'>,
  ): SenderHeaders | null | Promise<SenderHeaders>;
}

export type SenderHeaders = Readonly<Record<string, string>>;

export interface SignedRequest {
  /** Path and query. */
  readonly target: string;
  readonly body: Uint8Array;
  readonly right: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const STRATEGY = {
  say: 'several verifiers are combined by `"composition_strategy_mode": "ANY"`',
  rename: 'composition_strategy_mode',
};
/** Corrects only the key, because the value may have another form. */
const createKeyCorrection = (name: string) => ({ say: `the verifier is called \`"${name}"\``, means: name });

export const verifier = defineKind<Verifier>({
  kind: 'verifier',
  title: 'Webhook verifier',
  summary: 'How the sender of an inbound request is verified.',
  slots: ['webhook.verifications'],
  select: { by: 'key', pick: 'many' },
  common: shape({
    composition_strategy_mode: pluginName('strategy', {
      doc: 'How several verifiers are combined.',
      default: 'ALL',
      examples: ['ANY'],
    }),
  }),
  mistaken: {
    'webhook.verifications': {
      ...Object.fromEntries(['mode', 'strategy', 'composition', 'composition_strategy'].map((key) => [key, STRATEGY])),
      ...Object.fromEntries(
        ['hmac', 'signature', 'HMAC'].map((key) => [key, createKeyCorrection('HmacSignatureVerifier')]),
      ),
      ...Object.fromEntries(
        ['header', 'token', 'secret'].map((key) => [key, createKeyCorrection('HeaderTokenVerifier')]),
      ),
      ...Object.fromEntries(['jwt', 'JWT'].map((key) => [key, createKeyCorrection('JwtVerifier')])),
      ...Object.fromEntries(
        ['ip', 'ips', 'allowed_ips'].map((key) => [key, createKeyCorrection('IpAllowListVerifier')]),
      ),
      ...Object.fromEntries(
        ['rsa', 'public_key'].map((key) => [key, createKeyCorrection('PublicKeySignatureVerifier')]),
      ),
      type: 'each verifier is a key: `"HmacSignatureVerifier": {"sig_header": "...", "secret_key": "..."}`',
    },
  },
  facts: {},
  handle: ['plan'],
  host: (fragment, { name }) => {
    const host = wrapInResource({ webhook: { verifications: { [name]: isObject(fragment) ? fragment : {} } } });
    return { ...host, at: `/webhook/verifications/${name}` };
  },
});
