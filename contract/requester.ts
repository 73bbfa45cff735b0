/** Identifies the client and the deadline of a wait, for fair queues. */
import type { Invocation } from './invocation.js';

/** A `Frame` satisfies this interface. */
export interface Requester {
  readonly invocation: Pick<Invocation, 'deadline' | 'movedAt' | 'remote' | 'onFinish' | 'streams'>;
  /** Null when unauthenticated. */
  readonly claims: Readonly<Record<string, unknown>> | null;
}

/** These claims differ between tokens of the same client. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti']);

/** The claims when authenticated, else the network. */
export function getClientKey(requester: Requester | null): string {
  if (requester === null) return '';
  const { claims, invocation } = requester;
  if (claims === null) return toNetwork(invocation.remote);
  return JSON.stringify(Object.entries(claims).filter(([name]) => !OF_THE_TOKEN.has(name)));
}

/** Four groups of an IPv6 address are the /64 prefix. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** A client can use any address of its /64 network. IPv4 addresses are unchanged. */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const front = splitGroups(head);
  const back = splitGroups(tail);
  const between = new Array<string>(Math.max(0, GROUPS - front.length - back.length)).fill('0');
  const network = [...front, ...between, ...back].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const splitGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));
