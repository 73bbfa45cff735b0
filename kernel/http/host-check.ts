/**
 * Validates the `host` header against DNS rebinding, where a page resolves its own name to this machine's address and browsers
 * treat the server as the page's origin.
 */
import { BlockList, isIP } from 'node:net';
import { isLocalName, parseHostName } from '../../language/strings/host-name.js';
import type { HttpConfig } from '../../language/analysis/config.js';

type Hosting = Pick<HttpConfig, 'host' | 'hosts' | 'trusted_proxies'>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (host: string): boolean =>
  isLocalName(host) || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6'));

/** True in `lintel dev`, and for a server that listens only on a loopback address. */
export const isLocal = ({ host, hosts, trusted_proxies: proxies }: Hosting, dev: boolean): boolean =>
  dev || (hosts.length === 0 && proxies === 0 && isLoopback(host));

/** Null when every name is valid. */
export function createHostCheck(http: Hosting, dev: boolean): ((sent: string | undefined) => boolean) | null {
  const { host, hosts } = http;
  if (hosts.includes('*') || (hosts.length === 0 && !isLocal(http, dev))) return null;
  const lower = hosts.map((name) => name.toLowerCase());
  const names = new Set([host.toLowerCase(), ...lower]);
  const endings = lower.flatMap((name) => (name.startsWith('*.') ? [name.slice(1)] : []));
  let last = { sent: '', isValid: false };
  return (sent) => {
    // Browsers always send the header.
    if (sent === undefined) return true;
    // Most requests name the same host.
    if (sent === last.sent) return last.isValid;
    const name = parseHostName(sent);
    // An IP address cannot be rebound.
    const isNamed = isIP(name) !== 0 || isLocalName(name) || names.has(name);
    last = { sent, isValid: isNamed || endings.some((ending) => name.endsWith(ending)) };
    return last.isValid;
  };
}
