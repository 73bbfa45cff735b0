/**
 * Under which names the server answers. A page can have its own name resolve to an address of this machine (DNS rebinding), and is
 * then of one origin with it in the eyes of a browser: only the name that was asked for tells.
 */
import { BlockList, isIP } from 'node:net';
import type { HttpConfig } from '../analysis/config.js';

type Hosting = Pick<HttpConfig, 'host' | 'hosts' | 'trusted_proxies'>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (host: string): boolean =>
  isLocalName(host) || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6'));

const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Only this machine is meant to call: definitions are being written, or nothing else reaches the address. */
export const isLocal = ({ host, hosts, trusted_proxies: proxies }: Hosting, dev: boolean): boolean =>
  dev || (hosts.length === 0 && proxies === 0 && isLoopback(host));

/** Null: every name is taken. Otherwise whether the value of the `host` header is. */
export function hostJudge(http: Hosting, dev: boolean): ((sent: string | undefined) => boolean) | null {
  const { host, hosts } = http;
  if (hosts.includes('*') || (hosts.length === 0 && !isLocal(http, dev))) return null;
  const lower = hosts.map((name) => name.toLowerCase());
  const names = new Set([host.toLowerCase(), ...lower]);
  const endings = lower.flatMap((name) => (name.startsWith('*.') ? [name.slice(1)] : []));
  return (sent) => {
    // No browser leaves it out.
    if (sent === undefined) return true;
    const name = nameIn(sent);
    // An address cannot be made to mean another one.
    return isIP(name) !== 0 || isLocalName(name) || names.has(name) || endings.some((ending) => name.endsWith(ending));
  };
}

/** Without its port, brackets and final dot. */
const nameIn = (sent: string): string =>
  sent
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
