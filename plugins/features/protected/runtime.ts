/**
 * Token guard. Runs before the body is read and a database connection is acquired. Every rejection has the same
 * response.
 */
import { randomUUID } from 'node:crypto';
import { createFault } from '../../../contract/fault.js';
import { asText, deepFreeze, isObject, type Json } from '../../../contract/json.js';
import type { Claims, Frame, Identity, Invocation, Step } from '../../../contract/plan.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime, type Log, type RuntimeContext } from '../../../contract/plugin.js';
import type { TestRequest } from '../../../contract/tests.js';
import { getProof } from '../../../language/strings/header.js';
import { compilePath, splitPath, writePath } from '../../../language/strings/path.js';
import { endAtDeadline } from '../../shared/deadline.js';
import { feature } from '../kind.js';
import { TokenRefused, type TokenTool, type VerifiedToken } from '../../tokens/kind.js';
import { isAuthorization, createTokenReader } from '../../tokens/shared/header.light.js';
import { revoker, type IsRevoked } from '../shared/revocation.js';
import { restrictToGuard, TokenMismatch, createResourceTokens } from '../shared/token-tool.js';
import { ACCESS, PURPOSE_CLAIM, resolveRequirements } from '../../tokens/shared/audience.light.js';

export default defineRuntime(feature, {
  create: ({ resolve, log }) => ({
    plan: ({ value, holder }, tools) => {
      const written = isObject(value['protected']) ? value['protected'] : {};
      const header = asText(written['provide_as'] ?? 'Authorization');
      const { tool, type } = createResourceTokens(holder['tokenize'], false, tools, resolve);
      const verify = restrictToGuard(tool, resolveRequirements(written, holder['tokenize']), tools);
      // Revocation is checked only where a resource uses `invalidate_tokenize`.
      const revoked = tools.used(REVOKES) ? resolve(revoker, 'invalidate_tokenize').isRevoked : null;
      const createReject = (logsMismatch: boolean): RejectToken =>
        createRejectToken(header, tools.place, log, logsMismatch);
      return {
        steps: [
          createGuardStep(
            verify,
            header,
            createAdmit(createClaimsReader(written['extract_claims']), revoked),
            createReject(true),
          ),
        ],
        // A connection tries every guard, so rejections are expected and not logged as warnings.
        identity: createIdentity(verify, header, revoked, createReject(false)),
        guard: `${type} in ${header}`,
        proof: getProof(header),
      };
    },
  }),
  createCredentials: (_handle, request, { resolve }) => createCredentials(request, resolve),
});

/** A token with these claims, as the resource demands it. */
async function createCredentials(
  { resource, id, claims, now, text }: TestRequest,
  resolve: RuntimeContext['resolve'],
): Promise<Readonly<Record<string, string>> | null> {
  if (claims === null) return null;
  const { protected: guard, tokenize } = resource;
  const { tool } = createResourceTokens(tokenize, true, { place: id, text: (json) => () => text(json) }, resolve);
  const { issuers, audiences, purpose } = resolveRequirements(guard, tokenize);
  const marks = {
    iss: text(issuers?.[0] ?? id),
    aud: text(audiences?.[0] ?? tool.realm),
    ...(purpose !== ACCESS && { [PURPOSE_CLAIM]: purpose }),
  };
  const issued = await tool.issueToken({ ...claims, ...marks }, { now, seconds: TEST_SECONDS, id: randomUUID() });
  const header = asText(isObject(guard) ? (guard['provide_as'] ?? 'Authorization') : 'Authorization');
  return { [header]: isAuthorization(header) ? `Bearer ${issued}` : issued };
}

const TEST_SECONDS = 3600;

const REVOKES = 'feature:invalidate_tokenize';

type RejectToken = (invocation: Pick<Invocation, 'id'>, error: unknown) => never;

type Admit = (frame: Frame, verified: VerifiedToken) => void | Promise<void>;

function createGuardStep(verify: TokenTool['verify'], header: string, admit: Admit, refused: RejectToken): Step {
  const read = createTokenReader(header);
  const name = header.toLowerCase();
  const run = (frame: Frame): void | Promise<void> => {
    try {
      const { invocation } = frame;
      const verified = verify(read(invocation.header(name)), invocation.startedAt);
      const admitted =
        verified instanceof Promise ? verified.then((found) => admit(frame, found)) : admit(frame, verified);
      return admitted instanceof Promise
        ? admitted.catch((error: unknown) => refused(frame.invocation, error))
        : admitted;
    } catch (error) {
      return refused(frame.invocation, error);
    }
  };
  return { id: 'protected', phase: ResourcePhase.ADMIT, run };
}

/** Verifies a connection, which is open before its first message. */
function createIdentity(
  verify: TokenTool['verify'],
  header: string,
  isRevoked: IsRevoked | null,
  refused: RejectToken,
): Identity {
  const read = createTokenReader(header);
  const name = header.toLowerCase();
  return {
    header: name,
    async identifyCaller(asked) {
      try {
        const verified = await verify(read(asked.header(name)), asked.startedAt);
        if ((await isRevoked?.(verified)) === true) throw new TokenRefused('revoked');
        return { claims: verified.claims, until: verified.expiresAt * 1000 };
      } catch (error) {
        return refused(asked, error);
      }
    },
  };
}

/** A valid token may be revoked, also a cached one. */
function createAdmit(expose: (verified: VerifiedToken) => Claims, isRevoked: IsRevoked | null): Admit {
  const admitVerified = (frame: Frame, verified: VerifiedToken, isOver: boolean): void => {
    if (isOver) throw new TokenRefused('revoked');
    admitCaller(frame, expose(verified));
  };
  if (isRevoked === null) return (frame, verified) => admitVerified(frame, verified, false);
  return (frame, verified) => {
    const marked = endAtDeadline(isRevoked(verified), frame, 'cache store');
    return marked instanceof Promise
      ? marked.then((isOver) => admitVerified(frame, verified, isOver))
      : admitVerified(frame, verified, marked);
  };
}

/** A shared cache cannot know that a custom header carries credentials. */
function admitCaller(frame: Frame, claims: Claims): void {
  frame.claims = claims;
  frame.headers['cache-control'] = 'no-store';
}

const ELSEWHERE =
  'valid token rejected: it has another issuer, audience or purpose than `issuer`, `audience` and `purpose` of ' +
  '`protected` (logged once)';

/** For every reason. Errors other than TokenRefused are rethrown. */
function createRejectToken(header: string, place: string, log: Log, logsMismatch: boolean): RejectToken {
  const options = {
    headers: { 'cache-control': 'no-store', ...(isAuthorization(header) && { 'www-authenticate': 'Bearer' }) },
  };
  let reported = !logsMismatch;
  return ({ id }, error) => {
    if (!(error instanceof TokenRefused)) throw error;
    log.debug({ resource: place, request: id, reason: error.reason }, 'token rejected');
    // The signature is valid: the guard probably lacks issuer, audience or purpose.
    if (error instanceof TokenMismatch && !reported) {
      reported = true;
      log.warn({ resource: place, reason: error.reason }, ELSEWHERE);
    }
    throw createFault('TOK_REFUSED', {}, options);
  };
}

/** Exposes only the claims that the definition names; created once per cached token. */
function createClaimsReader(names: Json | undefined): (verified: VerifiedToken) => Claims {
  const listed = Array.isArray(names) ? (names as readonly Json[]).map((name) => splitPath(asText(name))) : [];
  const paths = listed.map((path) => ({ path, read: compilePath(path) }));
  const made = new WeakMap<VerifiedToken, Claims>();
  return (verified) => {
    const known = made.get(verified);
    if (known !== undefined) return known;
    const claims = Object.create(null) as Record<string, unknown>;
    for (const { path, read } of paths) {
      const value = read(verified.claims);
      if (value !== undefined) writePath(claims, path, value);
    }
    made.set(verified, deepFreeze(claims));
    return claims;
  };
}
