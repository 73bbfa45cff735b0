/**
 * The guard. It runs before the body is read and before any connection is taken; a token that was seen before is judged
 * without waiting. Every refusal looks the same from outside.
 */
import { fault } from '../../../kernel/contract/fault.js';
import { asText, deepFreeze, isObject, type Json } from '../../../kernel/contract/json.js';
import type { Claims, Frame, Identity, Invocation, Step } from '../../../kernel/contract/plan.js';
import { ResourcePhase } from '../../../kernel/contract/slot.js';
import { defineRuntime, type Log } from '../../../kernel/contract/plugin.js';
import { proofIn } from '../../../kernel/language/header.js';
import { compilePath, splitPath, writePath } from '../../../kernel/language/path.js';
import { feature } from '../../kinds/feature.js';
import { TokenRefused, type TokenTool, type Verified } from '../../kinds/token.js';
import { isAuthorization, tokenReader } from '../../kinds/token-header.js';
import { revoker, type IsRevoked } from '../shared/revocation.js';
import { meantFor, TokenElsewhere, tokensOf } from '../shared/token-tool.js';
import { demandedBy } from '../../kinds/token-words.js';

export default defineRuntime(feature, {
  create: ({ resolve, log }) => ({
    plan: ({ value, holder }, tools) => {
      const written = isObject(value['protected']) ? value['protected'] : {};
      const header = asText(written['provide_as'] ?? 'Authorization');
      const { tool, type } = tokensOf(holder['tokenize'], false, tools, resolve);
      const verify = meantFor(tool, demandedBy(written, holder['tokenize']), tools);
      // Only where something revokes tokens is anybody asked.
      const revoked = tools.used(REVOKES) ? resolve(revoker, 'invalidate_tokenize').isRevoked : null;
      const refused = (tells: boolean): Refused => refusal(header, tools.place, log, tells);
      return {
        steps: [guard(verify, header, admission(exposer(written['extract_claims']), revoked), refused(true))],
        // A connection is asked by each guard of the set: that some of them do not take its token is no news.
        identity: identity(verify, header, revoked, refused(false)),
        guard: `${type} in ${header}`,
        proof: proofIn(header),
      };
    },
  }),
});

const REVOKES = 'feature:invalidate_tokenize';

type Refused = (invocation: Pick<Invocation, 'id'>, error: unknown) => never;

type Admit = (frame: Frame, verified: Verified) => void | Promise<void>;

function guard(verify: TokenTool['verify'], header: string, admit: Admit, refused: Refused): Step {
  const read = tokenReader(header);
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

/** The same judgement for a connection, which is open before anything is asked of it. */
function identity(
  verify: TokenTool['verify'],
  header: string,
  isRevoked: IsRevoked | null,
  refused: Refused,
): Identity {
  const read = tokenReader(header);
  const name = header.toLowerCase();
  return {
    header: name,
    async identify(asked) {
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

/** A good token may be revoked all the same; that is asked at each use, also of one that is remembered. */
function admission(expose: (verified: Verified) => Claims, isRevoked: IsRevoked | null): Admit {
  const enter = (frame: Frame, verified: Verified, isOver: boolean): void => {
    if (isOver) throw new TokenRefused('revoked');
    admit(frame, expose(verified));
  };
  if (isRevoked === null) return (frame, verified) => enter(frame, verified, false);
  return (frame, verified) => {
    const marked = isRevoked(verified);
    return marked instanceof Promise
      ? marked.then((isOver) => enter(frame, verified, isOver))
      : enter(frame, verified, marked);
  };
}

/** What only this caller may see is nobody's to keep: a shared cache does not know that a header of ours is a key. */
function admit(frame: Frame, claims: Claims): void {
  frame.claims = claims;
  frame.headers['cache-control'] = 'no-store';
}

const ELSEWHERE =
  'a sound token was refused that was made by another issuer, for another audience or purpose; `issuer`, `audience` and `purpose` of ' +
  '`protected` say which are taken (this is said once)';

/** One answer for every reason. What is no refusal of a token is an accident, and must not look like one. */
function refusal(header: string, place: string, log: Log, tells: boolean): Refused {
  const options = {
    headers: { 'cache-control': 'no-store', ...(isAuthorization(header) && { 'www-authenticate': 'Bearer' }) },
  };
  let told = !tells;
  return ({ id }, error) => {
    if (!(error instanceof TokenRefused)) throw error;
    log.debug({ resource: place, request: id, reason: error.reason }, 'token refused');
    // The key is right: perhaps the guard does not say whose tokens it takes.
    if (error instanceof TokenElsewhere && !told) {
      told = true;
      log.warn({ resource: place, reason: error.reason }, ELSEWHERE);
    }
    throw fault('TOK_REFUSED', {}, options);
  };
}

/** Only what the definition names is readable; made once for each remembered token. */
function exposer(names: Json | undefined): (verified: Verified) => Claims {
  const listed = Array.isArray(names) ? (names as readonly Json[]).map((name) => splitPath(asText(name))) : [];
  const paths = listed.map((path) => ({ path, read: compilePath(path) }));
  const made = new WeakMap<Verified, Claims>();
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
