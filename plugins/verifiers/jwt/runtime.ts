/** Verifies tokens with the tool for access tokens and a separate key. */
import { asText, own, type Json } from '../../../contract/json.js';
import type { PlanTools } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { settledText } from '../../../contract/settled.js';
import { proofIn } from '../../../language/strings/header.js';
import { token, TokenRefused, type Verified } from '../../tokens/kind.js';
import { tokenReader } from '../../tokens/shared/header.light.js';
import { namesOf } from '../../tokens/shared/audience.light.js';
import { verifier, type Verify, type Verdict } from '../kind.js';
import { headerOf, secretOf } from '../shared/settings.js';

/** Errors other than TokenRefused are unexpected and rethrown. */
function refusal(error: unknown): Verdict {
  if (error instanceof TokenRefused) return { refused: error.reason };
  throw error;
}

/** Without required issuer or audience, the key alone authenticates the token. */
function judgeOf(issuer: Json | undefined, audience: Json | undefined, tools: PlanTools): (token: Verified) => Verdict {
  const settled = (names: readonly string[] | null) => names && new Set(names.map((one) => settledText(one, tools)));
  const [issuers, audiences] = [settled(namesOf(issuer)), settled(namesOf(audience))];
  const isIn = (names: ReadonlySet<string> | null, said: unknown): boolean =>
    names === null || [said].flat().some((one) => typeof one === 'string' && names.has(one));
  return ({ claims }) => {
    const [by, to] = [own(claims, 'iss'), own(claims, 'aud')];
    if (Array.isArray(by) || !isIn(issuers, by)) return { refused: 'another issuer' };
    return isIn(audiences, to) || { refused: 'another audience' };
  };
}

export default defineRuntime(verifier, {
  create: ({ resolve }) => ({
    needsBody: false,
    proof: ({ header_key: header }) => proofIn(asText(header)),
    plan(options, tools): Verify {
      const name = headerOf(options, 'header_key', tools);
      const tool = resolve(token, 'JWT').create({
        algorithm: asText(options['algorithm'] ?? 'HS256'),
        key: secretOf(options, tools),
        issues: false,
        place: `"${tools.place}"`,
      });
      const { issuer, audience } = options;
      const fits = judgeOf(issuer, audience, tools);
      const read = tokenReader(name);
      return async (invocation) => {
        try {
          return fits(await tool.verify(read(invocation.header(name)), invocation.startedAt));
        } catch (error) {
          return refusal(error);
        }
      };
    },
  }),
});
