/** Parses the entries of `webhook.verifications` for checker and runtime. */
import { asText, isObject, type Json } from '../../../contract/json.js';

const MODE_FIELD = 'composition_strategy_mode';
const DEFAULT_MODE = 'ALL';

type Options = Readonly<Record<string, Json>>;

const readVerifications = (webhook: Json | undefined): Options =>
  isObject(webhook) && isObject(webhook['verifications']) ? webhook['verifications'] : {};

export const readCompositionMode = (webhook: Json | undefined): string =>
  asText(readVerifications(webhook)[MODE_FIELD] ?? DEFAULT_MODE);

/** Names and options of the verifiers, in the order written. */
export function listVerifiers(webhook: Json | undefined): [string, Options][] {
  return Object.entries(readVerifications(webhook)).flatMap(([name, options]): [string, Options][] =>
    name === MODE_FIELD ? [] : [[name, isObject(options) ? options : {}]],
  );
}
