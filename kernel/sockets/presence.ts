/**
 * Who a connection is, and for how long: asked when it begins, and again while it stands. What follows for messages is
 * decided elsewhere.
 */
import { randomUUID } from 'node:crypto';
import { fault, type Fault } from '../contract/fault.js';
import type { IdentityPlan } from '../compile/plan.js';
import { CLOSE, identify, isOwner, Refused, type Admitted, type PeerHeaders } from './peer.js';

export interface Presence {
  /** A token proved that the uid is its own. */
  readonly verified: boolean;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Whose callers it is one of, with this uid, and until when. Of now: the next question may change it. */
  readonly realms: ReadonlyMap<string, number>;
  /** Asks again whether the token holds, and ends the connection when it does not. */
  recheck(): void;
  /** Nothing is watched any more. */
  leave(): void;
}

export interface PresenceInput {
  /** Of the newest plans. */
  readonly identities: () => readonly IdentityPlan[];
  readonly headers: PeerHeaders;
  readonly uid: string | null;
  /** The claim that says which uid somebody may have. */
  readonly claim: string;
  /** Nobody connects without a token. */
  readonly forced?: boolean;
  readonly statusOf: (failure: Fault) => number;
  readonly end: (refused: Refused) => void;
}

const MAX_TIMER = 2 ** 31 - 1;

const UNKNOWN: Presence = Object.freeze({
  verified: false,
  until: Infinity,
  realms: new Map(),
  recheck: () => undefined,
  leave: () => undefined,
});

/** Rejects with Refused where a token came that nobody takes, or that is not for this uid. */
export async function presenceOf(input: PresenceInput): Promise<Presence> {
  const { identities, headers, uid, claim, statusOf, end, forced = false } = input;
  const realms = new Map<string, number>();
  const ask = async (): Promise<Admitted | null> => {
    const asked = { id: randomUUID(), header: headers.values, startedAt: Date.now() };
    const admitted = await identify(identities(), asked, statusOf);
    realms.clear();
    // Another guard may read another header, with the token of somebody else.
    for (const one of admitted)
      if (one.realm !== null && uid !== null && isOwner(uid, one, claim)) realms.set(one.realm, one.until);
    return admitted[0] ?? null;
  };
  const identified = await ask();
  if (identified === null) {
    if (forced) throw new Refused(fault('WS_TOKEN'), CLOSE.token);
    return UNKNOWN;
  }
  if (uid !== null && !isOwner(uid, identified, claim)) throw new Refused(fault('WS_NOT_YOURS'), CLOSE.token);
  const { until } = identified;
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    const left = until - Date.now();
    if (left <= 0) end(new Refused(fault('WS_TOKEN_OVER'), CLOSE.token));
    else timer = setTimeout(watch, Math.min(left, MAX_TIMER)).unref();
  };
  watch();
  return {
    verified: uid !== null,
    until,
    realms,
    recheck: () =>
      void ask().then(
        (found) => {
          // Nobody takes such a token any more: definitions have changed.
          if (found === null) end(new Refused(fault('WS_TOKEN_OVER'), CLOSE.token));
          else if (uid !== null && !isOwner(uid, found, claim)) end(new Refused(fault('WS_NOT_YOURS'), CLOSE.token));
        },
        (error: unknown) => {
          // A store that does not answer is no reason to send everybody away.
          if (error instanceof Refused && error.code === CLOSE.token) end(error);
        },
      ),
    leave: () => clearTimeout(timer),
  };
}
