/**
 * SSRF guard: whether a host, port and resolved address may be called. Pure; the dialler checks every address of
 * every connection.
 */
import ipaddr from 'ipaddr.js';
import type { Outbound } from '../../../contract/outbound.js';

/** An exception for non-public addresses. */
interface Entry {
  readonly host: string | null;
  readonly range: readonly [ipaddr.IPv4 | ipaddr.IPv6, number] | null;
  readonly port: number | null;
}

export interface Policy {
  readonly entries: readonly Entry[];
  readonly ports: ReadonlySet<number>;
}

/** Throws for an invalid entry. */
export function createPolicy({ allow, ports }: Pick<Outbound, 'allow' | 'ports'>): Policy {
  return { entries: allow.map(parseEntry), ports: new Set(ports) };
}

function parseEntry(text: string): Entry {
  const [, bracketed, v6Port] = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? [];
  if (bracketed !== undefined)
    return { ...parseHostOrRange(bracketed), port: v6Port === undefined ? null : Number(v6Port) };
  const [, name = text, port] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  return { ...parseHostOrRange(name), port: port === undefined ? null : Number(port) };
}

function parseHostOrRange(text: string): Pick<Entry, 'host' | 'range'> {
  const [base = '', prefix] = text.split('/');
  const address = parseAddress(base);
  if (address === null && prefix === undefined) return { host: normalizeHost(text), range: null };
  if (address === null) throw new Error(`"${text}" is neither a host nor a range of addresses`);
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) throw new Error(`"${text}" has a prefix longer than ${bits}`);
  return { host: null, range: [address, length] };
}

/** Without brackets of an address or the trailing dot. */
export const normalizeHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Includes the default port of the scheme. */
export function getHostAndPort({ protocol, hostname, port }: URL): { readonly host: string; readonly port: number } {
  const implied = protocol === 'https:' ? 443 : 80;
  return { host: normalizeHost(hostname), port: port === '' ? implied : Number(port) };
}

/** Four decimal octets or IPv6 only. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

const LOCAL_NAMES = /^(localhost|.*\.localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/;
/** Cloud metadata services, which expose the credentials of a machine. */
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);
const METADATA = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

/** The only IPv6 range assigned for global unicast. */
const GLOBAL = ipaddr.IPv6.parse('2000::');
const DOCUMENTATION = ipaddr.IPv6.parse('3fff::');

/** Why an address is not public, or null. */
function findReason(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  if (METADATA.has(address.toNormalizedString())) return 'metadata';
  const range = address.range();
  if (address instanceof ipaddr.IPv4) return range === 'unicast' ? null : range;
  if (range === 'ipv4Mapped') return METADATA.has(address.toIPv4Address().toString()) ? 'metadata' : range;
  if (range !== 'unicast') return range;
  if (!address.match(GLOBAL, 3) || address.match(DOCUMENTATION, 20)) return 'reserved';
  return null;
}

/** Before it is resolved; a literal address is checked like a resolved one. */
export function findHostRejection(written: string, port: number, policy: Policy): string | null {
  const host = normalizeHost(written);
  const address = parseAddress(host);
  if (address !== null) return findAddressRejection(host, written, port, policy);
  if (host === '' || host.includes(':')) return 'not a host';
  const listed = policy.entries.some((entry) => entry.host === host && isPortAllowed(entry, port));
  if (METADATA_NAMES.has(host) && !listed) return 'metadata';
  if (LOCAL_NAMES.test(host) && !listed) return 'localhost';
  return findPortRejection(host, null, port, policy);
}

export function findAddressRejection(address: string, host: string, port: number, policy: Policy): string | null {
  const found = parseAddress(address);
  if (found === null) return 'not an address';
  const reason = findReason(found);
  if (reason === null) return findPortRejection(normalizeHost(host), found, port, policy);
  const isAllowed = (entry: Entry): boolean => {
    if (!isPortAllowed(entry, port)) return false;
    // Metadata addresses must be allowed by address: the DNS record of an allowed host could point at them.
    if (reason === 'metadata') return isIn(found, entry, true);
    return entry.host === normalizeHost(host) || isIn(found, entry, false);
  };
  return policy.entries.some(isAllowed) ? null : reason;
}

function findPortRejection(host: string, address: ipaddr.IPv4 | ipaddr.IPv6 | null, port: number, policy: Policy) {
  if (policy.ports.size === 0 || policy.ports.has(port)) return null;
  const listed = policy.entries.some(
    (entry) => entry.port === port && (entry.host === host || (address !== null && isIn(address, entry, false))),
  );
  // With a name, any entry for this port suffices: the resolved addresses are checked too.
  return listed || (address === null && policy.entries.some((entry) => entry.port === port)) ? null : 'port';
}

const isPortAllowed = (entry: Entry, port: number): boolean => entry.port === null || entry.port === port;

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, { range }: Entry, exactly: boolean): boolean {
  if (range === null) return false;
  const [base, length] = range;
  const plain = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  if (plain.kind() !== base.kind()) return false;
  if (exactly && length !== (base.kind() === 'ipv4' ? 32 : 128)) return false;
  return plain.match(base, length);
}
