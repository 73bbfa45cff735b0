/**
 * Which page a request comes from, as browsers tell it, and what a browser sends for a page without asking the server first. One
 * rule for requests and for the handshake of connections.
 */
import type { HttpConfig } from '../analysis/config.js';
import type { ProofSort } from '../contract/plan.js';

/** The values of a header (lower-case name). */
type ReadHeader = (name: string) => readonly string[];

/**
 * `own`: no page, or one of this server. `listed`: a page of an origin that the config names. `any`: another page, and the config
 * lets all in. `foreign`: another page.
 */
export type Sender = 'own' | 'listed' | 'any' | 'foreign';

export type SenderOf = (header: ReadHeader) => Sender;

/** What a browser writes for a request of the server's own page, and for one that no page asked for. */
const OWN = new Set(['same-origin', 'none']);

export function senderJudge(allowed: HttpConfig['allowed_origins']): SenderOf {
  const stranger = allowed.includes('*') ? 'any' : 'foreign';
  const known = new Set(allowed.flatMap((origin) => (origin === '*' ? [] : [new URL(origin).origin])));
  return (header) => {
    const sites = header('sec-fetch-site');
    if (sites.length === 1 && OWN.has(sites[0] ?? '')) return 'own';
    const sent = header('origin');
    const [origin] = sent;
    // A program sends neither header. A browser leaves the origin out of what it cannot answer a page with.
    if (origin === undefined) return sites.length === 0 ? 'own' : stranger;
    if (sent.length !== 1) return stranger;
    if (known.has(origin)) return 'listed';
    const hosts = header('host');
    return hosts.length === 1 && isSameHost(origin, hosts[0] ?? '') ? 'own' : stranger;
  };
}

/** Whether TLS ended before us is not known, so the default port of either scheme is none. */
function isSameHost(origin: string, host: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === named;
}

interface Sent {
  readonly method: string;
  readonly header: ReadHeader;
}

const VERBS = new Set(['GET', 'HEAD', 'POST']);
const FORMS = new Set(['', 'text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']);

/** Other verbs and types, and headers of an application, are preceded by a preflight, which only origins of the config pass. */
function isUnasked({ method, header }: Sent): boolean {
  const type = header('content-type').join().split(';', 1)[0] ?? '';
  return VERBS.has(method) && FORMS.has(type.trim().toLowerCase());
}

/** The user follows a link: nothing of the answer is read by the page that has it. */
const isVisit = ({ method, header }: Sent): boolean =>
  method !== 'POST' &&
  header('origin').length === 0 &&
  header('sec-fetch-mode').join() === 'navigate' &&
  header('sec-fetch-dest').join() === 'document';

/** Whether a page of another origin has made a browser send this, to a resource whose callers bring this proof. */
export type IsForged = (sent: Sent, proof: ProofSort) => boolean;

/** `local`: the network that the server listens on is all that keeps others out. */
export function forgeryJudge(allowed: HttpConfig['allowed_origins'], local: boolean): IsForged {
  const senderOf = senderJudge(allowed);
  return (sent, proof) => {
    // A token in a header is brought by the page that has it.
    if (proof === 'header' || !isUnasked(sent)) return false;
    if (!isStranger(senderOf(sent.header), proof)) return false;
    return local || proof === 'ambient' || !isVisit(sent);
  };
}

/** All origins may call where callers prove nothing; what a browser adds by itself is no word of its user. */
export const isStranger = (sender: Sender, proof: ProofSort): boolean =>
  sender === 'foreign' || (sender === 'any' && proof === 'ambient');
