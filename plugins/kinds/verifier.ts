/** Kind `verifier`: judges whether an inbound request comes from who it says. Strategies say how several are combined. */
import type { Json } from '../../kernel/contract/json.js';
import { isObject } from '../../kernel/contract/json.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { Invocation, PlanTools } from '../../kernel/contract/plan.js';
import { pluginName, shape } from '../../kernel/schema/combinators.js';
import { inResource } from './hosts.js';

/** True: it may pass. Never throws for what a client sent; the reason for a refusal is for the log alone. */
export type Verify = (invocation: Invocation) => Verdict | Promise<Verdict>;
export type Verdict = true | { readonly refused: string };

export interface Verifier {
  /** Judges the bytes of the body. Those that do not are asked first, so that strangers are not read for nothing. */
  readonly needsBody: boolean;
  /** Settles one entry of `webhook.verifications`. Throws BootError where a secret is missing or cannot be used. */
  plan(options: Readonly<Record<string, Json>>, tools: PlanTools): Verify;
}

export const verifier = defineKind<Verifier>({
  kind: 'verifier',
  title: 'Webhook verifier',
  summary: 'How an inbound request proves where it comes from.',
  slots: ['webhook.verifications'],
  select: { by: 'key', pick: 'many' },
  common: shape({
    composition_strategy_mode: pluginName('strategy', {
      doc: 'How several verifiers are combined.',
      default: 'ALL',
      examples: ['ANY'],
    }),
  }),
  facts: {},
  handle: ['plan'],
  host: (fragment, { name }) => {
    const host = inResource({ webhook: { verifications: { [name]: isObject(fragment) ? fragment : {} } } });
    return { ...host, at: `/webhook/verifications/${name}` };
  },
});
