/** For whom something is waited: until when, and which of those that wait are the same client. Platform-free. */
import type { Invocation } from './invocation.js';

/** A frame is one. */
export interface Asker {
  readonly invocation: Pick<Invocation, 'deadline' | 'remote' | 'release'>;
  /** What a guard has proven; null: nothing. */
  readonly claims: Readonly<Record<string, unknown>> | null;
}

/** Of a token, not of its owner: each token of the same owner has others. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti']);

/** The same text for all requests of one client: of its identity where one is proven, of its network otherwise. */
export function clientOf(asker: Asker | null): string {
  if (asker === null) return '';
  const { claims, invocation } = asker;
  if (claims === null) return networkOf(invocation.remote);
  return JSON.stringify(Object.entries(claims).filter(([name]) => !OF_THE_TOKEN.has(name)));
}

/** Groups of an IPv6 address that its owner does not choose. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** Whoever has one IPv6 address has a network of them, and could take a new one for each request. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail);
  const between = new Array<string>(Math.max(0, GROUPS - front.length - back.length)).fill('0');
  const network = [...front, ...between, ...back].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
