/** The entries of `webhook.verifications`, as checker and runtime see them. Light. */
import { isObject, type Json } from '../../../kernel/contract/json.js';

export const MODE_FIELD = 'composition_strategy_mode';
export const DEFAULT_MODE = 'ALL';

type Options = Readonly<Record<string, Json>>;

/** Names and options of the verifiers, in the order written. */
export function verifiersOf(webhook: Json | undefined): [string, Options][] {
  const verifications = isObject(webhook) && isObject(webhook['verifications']) ? webhook['verifications'] : {};
  return Object.entries(verifications).flatMap(([name, options]): [string, Options][] =>
    name === MODE_FIELD ? [] : [[name, isObject(options) ? options : {}]],
  );
}
