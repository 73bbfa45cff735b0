/** Verifies tokens with the tool for access tokens and a separate key. */
import { randomUUID } from 'node:crypto';
import { asText, getOwn, type Json } from '../../../contract/json.js';
import type { PlanTools } from '../../../contract/plan.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { getProof } from '../../../language/strings/header.js';
import { token, TokenRefused, type TokenTool, type VerifiedToken } from '../../tokens/kind.js';
import { createTokenReader, isAuthorization } from '../../tokens/shared/header.light.js';
import { toNames } from '../../tokens/shared/audience.light.js';
import { verifier, type Verify, type VerificationResult } from '../kind.js';
import { readHeaderName, readSecret, type ConstantTools } from '../shared/settings.js';

/** Errors other than TokenRefused are unexpected and rethrown. */
function toVerificationResult(error: unknown): VerificationResult {
  if (error instanceof TokenRefused) return { refused: error.reason };
  throw error;
}

type Options = Readonly<Record<string, Json>>;

const readNames = (options: Options, field: string, tools: ConstantTools): readonly string[] | null =>
  toNames(options[field])?.map((one) => readConstantText(one, tools)) ?? null;

/** Without required issuer or audience, the key alone authenticates the token. */
function createClaimsCheck(options: Options, tools: PlanTools): (token: VerifiedToken) => VerificationResult {
  const toSet = (names: readonly string[] | null) => names && new Set(names);
  const [issuers, audiences] = [
    toSet(readNames(options, 'issuer', tools)),
    toSet(readNames(options, 'audience', tools)),
  ];
  const isIn = (names: ReadonlySet<string> | null, claim: unknown): boolean =>
    names === null || [claim].flat().some((one) => typeof one === 'string' && names.has(one));
  return ({ claims }) => {
    const [by, to] = [getOwn(claims, 'iss'), getOwn(claims, 'aud')];
    if (Array.isArray(by) || !isIn(issuers, by)) return { refused: 'another issuer' };
    return isIn(audiences, to) || { refused: 'another audience' };
  };
}

const TEST_SECONDS = 3600;

function createTool(
  resolve: RuntimeContext['resolve'],
  options: Options,
  key: string,
  { place }: ConstantTools,
  issues: boolean,
): TokenTool {
  const algorithm = asText(options['algorithm'] ?? 'HS256');
  return resolve(token, 'JWT').create({ algorithm, key, issues, place: `"${place}"` });
}

export default defineRuntime(verifier, {
  create: ({ resolve }) => ({
    needsBody: false,
    proof: ({ header_key: header }) => getProof(asText(header)),
    async sign(options, { right, now }, tools) {
      const secret = readSecret(options, tools);
      const tool = createTool(resolve, options, right ? secret : `${secret}x`, tools, true);
      const [issuer] = readNames(options, 'issuer', tools) ?? [];
      const [audience] = readNames(options, 'audience', tools) ?? [];
      const claims = { ...(issuer !== undefined && { iss: issuer }), ...(audience !== undefined && { aud: audience }) };
      const issued = await tool.issueToken(claims, { now, seconds: TEST_SECONDS, id: randomUUID() });
      const name = readHeaderName(options, 'header_key', tools);
      return { [name]: isAuthorization(name) ? `Bearer ${issued}` : issued };
    },
    plan(options, tools): Verify {
      const name = readHeaderName(options, 'header_key', tools);
      const tool = createTool(resolve, options, readSecret(options, tools), tools, false);
      const fits = createClaimsCheck(options, tools);
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
