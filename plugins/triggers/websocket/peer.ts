/** Headers, uid and identity of a connection, from its upgrade request. A rejection has a close code. */
import type { IncomingMessage } from 'node:http';
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault, ensureFault, type Fault } from '../../../contract/fault.js';
import { getOwn } from '../../../contract/json.js';
import { isSub0 } from '../../../contract/profile.js';
import type { Identified, Identity, Invocation } from '../../../contract/plan.js';
import type { IdentityPlan } from '../../../contract/trigger.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { listHeaderValues } from '../../../contract/invocation.js';
import { listProtocols } from './handshake.js';

/** Codes of RFC 6455 and private ones (from 4400). */
export const CLOSE = {
  going: 1001,
  unsupported: 1003,
  policy: 1008,
  changed: 1012,
  later: 1013,
  uid: 4400,
  token: 4401,
} as const;

export class ConnectionRejection extends Error {
  constructor(
    readonly fault: Fault,
    readonly code: number,
  ) {
    super(fault.code);
    this.name = 'ConnectionRejection';
  }
}

export interface PeerHeaders {
  /** Null prototype, lower-case names. */
  readonly all: Invocation['headers'];
  readonly values: Invocation['header'];
}

class UpgradeHeaders implements PeerHeaders {
  private listed: Invocation['header'] | null = null;

  /** `raw` alternates names in lower case and values. `merged`: null where no header is repeated. */
  constructor(
    private readonly raw: readonly string[],
    private merged: Invocation['headers'] | null,
  ) {}

  get all(): Invocation['headers'] {
    return (this.merged ??= Object.freeze(toRecord(this.raw)));
  }

  get values(): Invocation['header'] {
    return (this.listed ??= (name) => listHeaderValues(this.raw, name));
  }
}

export const NO_HEADERS: PeerHeaders = new UpgradeHeaders([], null);

type HeaderRecord = Record<string, string | string[] | undefined>;

function toRecord(raw: readonly string[], merged: Invocation['headers'] = {}): HeaderRecord {
  const all = Object.create(null) as HeaderRecord;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    all[name] = Object.hasOwn(merged, name) ? merged[name] : raw[i + 1];
  }
  return all;
}

/** Headers that concern only the upgrade or a body. */
const OF_THE_UPGRADE =
  /^(connection|upgrade|keep-alive|te|trailer|transfer-encoding|expect|content-.*|sec-websocket-.*)$/;

export type Proof = readonly [name: string, value: string];

export function createPeerHeaders(req: IncomingMessage, proofs: readonly Proof[]): PeerHeaders {
  const raw: string[] = [];
  const proven = new Set(proofs.map(([name]) => name));
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] ?? '').toLowerCase();
    if (!OF_THE_UPGRADE.test(name) && !proven.has(name)) raw.push(name, req.rawHeaders[i + 1] ?? '');
  }
  const names = new Set(raw.filter((_, at) => at % 2 === 0));
  // Node merges repeated headers, each in its own way, and always makes a list of `set-cookie`.
  const isPlain = names.size * 2 === raw.length && !names.has('set-cookie');
  for (const [name, value] of proofs) raw.push(name, value);
  return new UpgradeHeaders(
    raw,
    isPlain ? null : Object.freeze(toRecord(raw, { ...req.headers, ...Object.fromEntries(proofs) })),
  );
}

/** Clients of the earlier system use this name for any authentication header. */
const ANY_HEADER = 'x-access-token';

/** Converts the token in the sub-protocols into the headers that guards read. */
export function extractProofs(
  req: IncomingMessage,
  identities: readonly IdentityPlan[],
  profile: string | null,
): readonly Proof[] {
  const offered = listProtocols((name) => listHeaderValues(req.rawHeaders, name));
  if (offered.length === 0) return [];
  const [name = '', token = ''] = offered.map((text, index) => (index === 0 ? text.toLowerCase() : text));
  const isAny = name === ANY_HEADER && isSub0(profile);
  const read = new Set(identities.flatMap(({ identity }) => identity?.header ?? []));
  const names = [...read].filter((header) => header === name || (isAny && header === 'authorization'));
  if (offered.length !== 2 || names.length === 0)
    throw new ConnectionRejection(
      createFault('WS_HANDSHAKE', { what: 'no resource reads a token from the header that the sub-protocols name' }),
      CLOSE.uid,
    );
  return names.map((header) => [header, header === 'authorization' ? `Bearer ${token}` : token]);
}

const MAX_UID = 256;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Null when missing and optional. */
export function parseUid(query: URLSearchParams, { force_uid: isForced }: WebSocketConfig): string | null {
  const [uid, ...more] = query.getAll('uid');
  if (uid === undefined) {
    if (!isForced) return null;
    throw new ConnectionRejection(createFault('WS_UID', { what: 'is missing' }), CLOSE.uid);
  }
  if (more.length > 0) throw new ConnectionRejection(createFault('WS_UID', { what: 'is given twice' }), CLOSE.uid);
  if (uid === '' || uid.length > MAX_UID || CONTROL.test(uid))
    throw new ConnectionRejection(createFault('WS_UID', { what: 'is not 1 to 256 plain characters' }), CLOSE.uid);
  return uid;
}

export interface AdmittedIdentity extends Identified {
  readonly realm: string | null;
}

/** The first admission is the primary identity. Empty without a token; throws Refused when no guard accepts it. */
export async function authenticatePeer(
  identities: readonly IdentityPlan[],
  invocation: Parameters<Identity['identifyCaller']>[0],
  getFaultStatus: (failure: Fault) => number,
): Promise<readonly AdmittedIdentity[]> {
  const asking = identities.flatMap(({ identity, realm }) =>
    identity !== null && invocation.header(identity.header).length > 0 ? [{ identity, realm }] : [],
  );
  const admitted: AdmittedIdentity[] = [];
  let refusal: ConnectionRejection | null = null;
  for (const { identity, realm } of asking) {
    try {
      admitted.push({ ...(await identity.identifyCaller(invocation)), realm });
    } catch (error) {
      const failure = ensureFault(error);
      // Any other status is a failure, such as an unavailable store.
      const isRefusal = getFaultStatus(failure) === 401;
      const reported = new ConnectionRejection(failure, isRefusal ? CLOSE.token : CLOSE.later);
      if (refusal === null || !isRefusal) refusal = reported;
    }
  }
  if (refusal !== null && admitted.length === 0) throw refusal;
  return admitted;
}

export function isOwner(uid: string, { claims }: Identified, claim: string): boolean {
  const claimed = getOwn(claims, claim);
  const isPlain = typeof claimed === 'string' || typeof claimed === 'number' || claimed instanceof ExactNumber;
  return isPlain && claimed.toString() === uid;
}
