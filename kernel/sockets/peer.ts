/**
 * Who is at the other end of a connection: the headers that its messages have, its uid, and what its token proves. A refusal
 * is a Fault with the code with which the connection closes.
 */
import type { IncomingMessage } from 'node:http';
import { ExactNumber } from '../contract/exact-number.js';
import { fault, type Fault } from '../contract/fault.js';
import { own } from '../contract/json.js';
import { isSub0 } from '../contract/profile.js';
import type { Identified, Identity, Invocation } from '../contract/plan.js';
import type { IdentityPlan } from '../compile/plan.js';
import type { WebSocketConfig } from '../analysis/config-websocket.js';
import { headerValues } from '../http/invocation.js';
import { asFault } from '../runtime/invoke.js';
import { offeredBy } from './handshake.js';

/** Codes with which connections close, beside those of the protocol. */
export const CLOSE = {
  going: 1001,
  unsupported: 1003,
  policy: 1008,
  changed: 1012,
  later: 1013,
  uid: 4400,
  token: 4401,
} as const;

export class Refused extends Error {
  constructor(
    readonly fault: Fault,
    readonly code: number,
  ) {
    super(fault.code);
    this.name = 'Refused';
  }
}

/** What the upgrade said, as far as messages have it. */
export interface PeerHeaders {
  /** Null prototype, lower-case names. */
  readonly all: Invocation['headers'];
  readonly values: Invocation['header'];
}

/** They speak of the upgrade alone, or of a body. */
const OF_THE_UPGRADE =
  /^(connection|upgrade|keep-alive|te|trailer|transfer-encoding|expect|content-.*|sec-websocket-.*)$/;

/** The header that stands for the sub-protocols, and its value. */
export type Proof = readonly [name: string, value: string];

export function headersOf(req: IncomingMessage, proofs: readonly Proof[]): PeerHeaders {
  const raw: string[] = [];
  const all = Object.create(null) as Record<string, string | string[] | undefined>;
  const proven = new Set(proofs.map(([name]) => name));
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] ?? '').toLowerCase();
    if (OF_THE_UPGRADE.test(name) || proven.has(name)) continue;
    raw.push(name, req.rawHeaders[i + 1] ?? '');
    all[name] = req.headers[name];
  }
  for (const [name, value] of proofs) {
    raw.push(name, value);
    all[name] = value;
  }
  return { all: Object.freeze(all), values: (name) => headerValues(raw, name) };
}

/** Clients of the earlier system name it, whatever header the resources read. */
const ANY_HEADER = 'x-access-token';

/** The token that stands in the sub-protocols, as the headers that it is meant for. */
export function proofsOf(
  req: IncomingMessage,
  identities: readonly IdentityPlan[],
  profile: string | null,
): readonly Proof[] {
  const offered = offeredBy((name) => headerValues(req.rawHeaders, name));
  if (offered.length === 0) return [];
  const [name = '', token = ''] = offered.map((text, index) => (index === 0 ? text.toLowerCase() : text));
  const isAny = name === ANY_HEADER && isSub0(profile);
  const read = new Set(identities.flatMap(({ identity }) => identity?.header ?? []));
  const names = [...read].filter((header) => header === name || (isAny && header === 'authorization'));
  if (offered.length !== 2 || names.length === 0)
    throw new Refused(
      fault('WS_HANDSHAKE', { what: 'no resource reads a token from the header that the sub-protocols name' }),
      CLOSE.uid,
    );
  return names.map((header) => [header, header === 'authorization' ? `Bearer ${token}` : token]);
}

const MAX_UID = 256;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Null where the connection may do without. */
export function uidOf(query: URLSearchParams, { force_uid: isForced }: WebSocketConfig): string | null {
  const [uid, ...more] = query.getAll('uid');
  if (uid === undefined) {
    if (!isForced) return null;
    throw new Refused(fault('WS_UID', { what: 'is missing' }), CLOSE.uid);
  }
  if (more.length > 0) throw new Refused(fault('WS_UID', { what: 'is given twice' }), CLOSE.uid);
  if (uid === '' || uid.length > MAX_UID || CONTROL.test(uid))
    throw new Refused(fault('WS_UID', { what: 'is not 1 to 256 plain characters' }), CLOSE.uid);
  return uid;
}

/** What a guard says of a connection that it would let in. */
export interface Admitted extends Identified {
  readonly realm: string | null;
}

/**
 * Empty where no token came with the connection. Throws Refused for one that nobody takes. Every guard is asked, for a connection may
 * be known to several; the first of them decides.
 */
export async function identify(
  identities: readonly IdentityPlan[],
  asked: Parameters<Identity['identify']>[0],
  statusOf: (failure: Fault) => number,
): Promise<readonly Admitted[]> {
  const asking = identities.flatMap(({ identity, realm }) =>
    identity !== null && asked.header(identity.header).length > 0 ? [{ identity, realm }] : [],
  );
  const admitted: Admitted[] = [];
  let refusal: Refused | null = null;
  for (const { identity, realm } of asking) {
    try {
      admitted.push({ ...(await identity.identify(asked)), realm });
    } catch (error) {
      const failure = asFault(error);
      // What is no refusal is an accident: a store was asked and did not answer.
      const isRefusal = statusOf(failure) === 401;
      const told = new Refused(failure, isRefusal ? CLOSE.token : CLOSE.later);
      if (refusal === null || !isRefusal) refusal = told;
    }
  }
  if (refusal !== null && admitted.length === 0) throw refusal;
  return admitted;
}

/** The uid of a connection that came with a token is the one that the token says. */
export function isOwner(uid: string, { claims }: Identified, claim: string): boolean {
  const said = own(claims, claim);
  const isPlain = typeof said === 'string' || typeof said === 'number' || said instanceof ExactNumber;
  return isPlain && said.toString() === uid;
}
