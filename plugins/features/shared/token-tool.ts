/** The tool that issues and verifies the tokens of a resource from its `tokenize`, and restricts guards. */
import { BootError } from '../../../contract/boot-error.js';
import { asText, isObject, getOwn, type Json } from '../../../contract/json.js';
import { createFault } from '../../../contract/fault.js';
import type { Kind } from '../../../contract/kind.js';
import type { PlanTools } from '../../../contract/plan.js';
import { readConstantText } from '../../../contract/constant-text.js';
import { token, TokenRefused, type TokenTool, type VerifiedToken } from '../../tokens/kind.js';
import { ACCESS, PURPOSE_CLAIM, type TokenRequirements } from '../../tokens/shared/audience.light.js';

type Resolve = <H>(kind: Kind<H>, name: string) => H;

export interface ResourceTokens {
  readonly tool: TokenTool;
  readonly type: string;
  readonly settings: Readonly<Record<string, Json>>;
}

/** Throws BootError for an invalid key; `issues`: new tokens will be issued. */
export function createResourceTokens(
  written: Json | undefined,
  issues: boolean,
  tools: Pick<PlanTools, 'text' | 'place'>,
  resolve: Resolve,
): ResourceTokens {
  const settings = isObject(written) ? written : {};
  const place = `"${tools.place}"`;
  const key = settings['encryption_key'];
  if (key === undefined) throw new BootError('TOK_KEY', { place, what: 'there is none' });
  const algorithm = settings['algorithm'];
  const type = asText(settings['type']);
  const tool = resolve(token, type).create({
    algorithm: typeof algorithm === 'string' ? algorithm : null,
    key: readConstantText(key, tools),
    issues,
    place,
  });
  const { max_length: max } = settings;
  return { tool: typeof max === 'number' ? limitLength(tool, max) : tool, type, settings };
}

/** The issuer, audience and purpose claims of new tokens. */
export function getIssuedClaims(
  { tool, settings }: ResourceTokens,
  tools: PlanTools,
): Readonly<Record<string, string>> {
  const { issuer = tools.place, audience, purpose = ACCESS } = settings;
  return {
    iss: readConstantText(issuer, tools),
    aud: audience === undefined ? tool.realm : readConstantText(audience, tools),
    ...(purpose !== ACCESS && { [PURPOSE_CLAIM]: asText(purpose) }),
  };
}

/** A valid token of another issuer, or for another audience or purpose. */
export class TokenMismatch extends TokenRefused {}

/**
 * Accepts only tokens for this guard, or without an audience unless the guard names some. Each cached token is
 * checked once.
 */
export function restrictToGuard(tool: TokenTool, demanded: TokenRequirements, tools: PlanTools): TokenTool['verify'] {
  const toConstantSet = (names: readonly string[] | null) =>
    names && new Set(names.map((name) => readConstantText(name, tools)));
  const [issuers, audiences] = [toConstantSet(demanded.issuers), toConstantSet(demanded.audiences)];
  const taken = audiences ?? new Set([tool.realm]);
  const right = new WeakSet<VerifiedToken>();
  const checkVerified = (verified: VerifiedToken): VerifiedToken => {
    if (right.has(verified)) return verified;
    const [by, to, purpose = ACCESS] = ['iss', 'aud', PURPOSE_CLAIM].map((name) => getOwn(verified.claims, name));
    if (purpose !== demanded.purpose) throw new TokenMismatch('another purpose');
    if (issuers !== null && !(typeof by === 'string' && issuers.has(by))) throw new TokenMismatch('another issuer');
    const isOpen = to === undefined && audiences === null;
    const receivers: readonly unknown[] = Array.isArray(to) ? to : [to];
    if (!isOpen && !receivers.some((one) => typeof one === 'string' && taken.has(one)))
      throw new TokenMismatch('another audience');
    right.add(verified);
    return verified;
  };
  return (text, now) => {
    const verified = tool.verify(text, now);
    return verified instanceof Promise ? verified.then(checkVerified) : checkVerified(verified);
  };
}

/** Tools are shared by resources with the same key, the limit is not. */
const limitLength = (tool: TokenTool, max: number): TokenTool => ({
  realm: tool.realm,
  open: (text) => tool.open(text),
  verify(text, now) {
    if (text.length > max) throw new TokenRefused('too long');
    return tool.verify(text, now);
  },
  async issueToken(claims, life) {
    const made = await tool.issueToken(claims, life);
    if (made.length > max) throw createFault('TOK_UNFIT');
    return made;
  },
});
