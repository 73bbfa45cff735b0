/** The identity of a connection: verified at its start, rechecked, and ended at expiry. */
import { randomUUID } from 'node:crypto';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { IdentityPlan } from '../../../contract/trigger.js';
import {
  CLOSE,
  authenticatePeer,
  isOwner,
  ConnectionRejection,
  type AdmittedIdentity,
  type PeerHeaders,
} from './peer.js';

export interface AuthSession {
  /** A token proved the uid. */
  readonly verified: boolean;
  /** Expiry in milliseconds since 1970. */
  readonly until: number;
  /** The guard realms that admit this uid, each with its expiry; rechecks update it. */
  readonly realms: ReadonlyMap<string, number>;
  /** Closes the connection when its token is no longer valid. */
  recheck(): void;
  stop(): void;
}

export interface AuthSessionInput {
  readonly identities: () => readonly IdentityPlan[];
  readonly headers: PeerHeaders;
  readonly uid: string | null;
  /** The claim that holds the permitted uid. */
  readonly claim: string;
  readonly forced?: boolean;
  readonly getFaultStatus: (failure: Fault) => number;
  readonly end: (refused: ConnectionRejection) => void;
}

const MAX_TIMER = 2 ** 31 - 1;

export const ANONYMOUS: AuthSession = Object.freeze({
  verified: false,
  until: Infinity,
  realms: new Map(),
  recheck: () => undefined,
  stop: () => undefined,
});

/** Rejects with Refused for an invalid token, or one with another uid. */
export async function createAuthSession(input: AuthSessionInput): Promise<AuthSession> {
  const { identities, headers, uid, claim, getFaultStatus, end, forced = false } = input;
  const realms = new Map<string, number>();
  const authenticate = async (): Promise<AdmittedIdentity | null> => {
    const invocation = { id: randomUUID(), header: headers.values, startedAt: Date.now() };
    const admitted = await authenticatePeer(identities(), invocation, getFaultStatus);
    realms.clear();
    // Another guard may read another header, with the token of a different user.
    for (const one of admitted)
      if (one.realm !== null && uid !== null && isOwner(uid, one, claim)) realms.set(one.realm, one.until);
    return admitted[0] ?? null;
  };
  const identified = await authenticate();
  if (identified === null) {
    if (forced) throw new ConnectionRejection(createFault('WS_TOKEN'), CLOSE.token);
    return ANONYMOUS;
  }
  if (uid !== null && !isOwner(uid, identified, claim))
    throw new ConnectionRejection(createFault('WS_NOT_YOURS'), CLOSE.token);
  const { until } = identified;
  let timer: NodeJS.Timeout | undefined;
  const scheduleExpiry = (): void => {
    const left = until - Date.now();
    if (left <= 0) end(new ConnectionRejection(createFault('WS_TOKEN_OVER'), CLOSE.token));
    else timer = setTimeout(scheduleExpiry, Math.min(left, MAX_TIMER)).unref();
  };
  scheduleExpiry();
  return {
    verified: uid !== null,
    until,
    realms,
    recheck: () =>
      void authenticate().then(
        (found) => {
          // After a reload, no guard accepts this token.
          if (found === null) end(new ConnectionRejection(createFault('WS_TOKEN_OVER'), CLOSE.token));
          else if (uid !== null && !isOwner(uid, found, claim))
            end(new ConnectionRejection(createFault('WS_NOT_YOURS'), CLOSE.token));
        },
        (error: unknown) => {
          // An unavailable store must not close connections.
          if (error instanceof ConnectionRejection && error.code === CLOSE.token) end(error);
        },
      ),
    stop: () => clearTimeout(timer),
  };
}
