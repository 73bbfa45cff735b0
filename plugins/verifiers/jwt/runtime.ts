/** Verifies tokens with the tool for access tokens and a separate key. */
import { asText, getOwn, type Json } from '../../../contract/json.js';
import type { PlanTools } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { getProof } from '../../../language/strings/header.js';
import { token, TokenRefused, type VerifiedToken } from '../../tokens/kind.js';
import { createTokenReader } from '../../tokens/shared/header.light.js';
import { toNames } from '../../tokens/shared/audience.light.js';
import { verifier, type Verify, type VerificationResult } from '../kind.js';
import { readHeaderName, readSecret } from '../shared/settings.js';

/** Errors other than TokenRefused are unexpected and rethrown. */
function toVerificationResult(error: unknown): VerificationResult {
  if (error instanceof TokenRefused) return { refused: error.reason };
  throw error;
}

/** Without required issuer or audience, the key alone authenticates the token. */
function createClaimsCheck(
  issuer: Json | undefined,
  audience: Json | undefined,
  tools: PlanTools,
): (token: VerifiedToken) => VerificationResult {
  const toConstantSet = (names: readonly string[] | null) =>
    names && new Set(names.map((one) => readConstantText(one, tools)));
  const [issuers, audiences] = [toConstantSet(toNames(issuer)), toConstantSet(toNames(audience))];
  const isIn = (names: ReadonlySet<string> | null, said: unknown): boolean =>
    names === null || [said].flat().some((one) => typeof one === 'string' && names.has(one));
  return ({ claims }) => {
    const [by, to] = [getOwn(claims, 'iss'), getOwn(claims, 'aud')];
    if (Array.isArray(by) || !isIn(issuers, by)) return { refused: 'another issuer' };
    return isIn(audiences, to) || { refused: 'another audience' };
  };
}

export default defineRuntime(verifier, {
  create: ({ resolve }) => ({
    needsBody: false,
    proof: ({ header_key: header }) => getProof(asText(header)),
    plan(options, tools): Verify {
      const name = readHeaderName(options, 'header_key', tools);
      const tool = resolve(token, 'JWT').create({
        algorithm: asText(options['algorithm'] ?? 'HS256'),
        key: readSecret(options, tools),
        issues: false,
        place: `"${tools.place}"`,
      });
      const { issuer, audience } = options;
      const fits = createClaimsCheck(issuer, audience, tools);
      const read = createTokenReader(name);
      return async (invocation) => {
        try {
          return fits(await tool.verify(read(invocation.header(name)), invocation.startedAt));
        } catch (error) {
          return toVerificationResult(error);
        }
      };
    },
  }),
});
