/** The list is parsed once at load; an empty one is a startup error. */
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import { throwSettingError, readSetting } from '../shared/settings.js';
import { splitEntries } from './entries.light.js';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: false,
    // Any web page in a browser at such an address can send requests from it.
    proof: () => 'ambient',
    sign: () => null,
    plan(options, tools): Verify {
      const compiled = compileAddressList(readSetting(options, 'allowed_ips', tools));
      const isAllowed = typeof compiled === 'string' ? throwSettingError('allowed_ips', tools, compiled) : compiled;
      return ({ remote }) => isAllowed(remote) || { refused: 'another address' };
    },
  }),
});

/** The predicate, or why the list is invalid. IPv4-mapped IPv6 addresses equal IPv4; invalid text is in no list. */
export function compileAddressList(text: string): ((address: string) => boolean) | string {
  const entries = splitEntries(text);
  if (entries.length === 0) return 'it names no address';
  const known = new BlockList();
  for (const entry of entries) if (!add(known, entry)) return `"${entry}" is no address and no range`;
  return (address) => {
    // A link-local address ends with the name of its interface.
    const plain = unmapAddress(address.split('%')[0] ?? '');
    if (isIPv4(plain)) return known.check(plain, 'ipv4');
    return isIPv6(plain) && known.check(plain, 'ipv6');
  };
}

function add(known: BlockList, entry: string): boolean {
  const [written = '', length, ...rest] = entry.split('/');
  const address = unmapAddress(written);
  const wasMapped = address !== written;
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : null;
  if (family === null || rest.length > 0) return false;
  if (length === undefined) {
    known.addAddress(address, family);
    return true;
  }
  if (!/^\d{1,3}$/.test(length)) return false;
  // The first 96 bits of a mapped address are its constant prefix.
  const bits = Number(length) - (wasMapped ? 96 : 0);
  if (bits < 0 || bits > (family === 'ipv4' ? 32 : 128)) return false;
  known.addSubnet(address, bits, family);
  return true;
}

/** The IPv4 address in `::ffff:192.0.2.1`, in any spelling; other addresses unchanged. */
function unmapAddress(address: string): string {
  if (!isIPv6(address) || address.includes('%')) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return address;
  const number = parseInt(high, 16) * 65_536 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
