/** Detects cross-site requests from the headers that browsers set, both for HTTP requests and for WebSocket handshakes. */
import type { HttpConfig } from '../analysis/config.js';
import type { ProofSort } from '../contract/plan.js';

/** Returns the values of a header (lower-case name). */
type ReadHeader = (name: string) => readonly string[];

/**
 * `own`: this server's page or no page. `listed`: an origin of the config. `any`: another origin, where the config allows all.
 * `foreign`: another origin.
 */
export type Sender = 'own' | 'listed' | 'any' | 'foreign';

export type SenderOf = (header: ReadHeader) => Sender;

/** Values of `sec-fetch-site` for requests of the server's own pages, and for those without a page. */
const OWN = new Set(['same-origin', 'none']);

export function senderJudge(allowed: HttpConfig['allowed_origins']): SenderOf {
  const stranger = allowed.includes('*') ? 'any' : 'foreign';
  const known = new Set(allowed.flatMap((origin) => (origin === '*' ? [] : [new URL(origin).origin])));
  return (header) => {
    const sites = header('sec-fetch-site');
    if (sites.length === 1 && OWN.has(sites[0] ?? '')) return 'own';
    const sent = header('origin');
    const [origin] = sent;
    // Programs send neither header. Browsers omit `origin` only where no page can read the response.
    if (origin === undefined) return sites.length === 0 ? 'own' : stranger;
    if (sent.length !== 1) return stranger;
    if (known.has(origin)) return 'listed';
    const hosts = header('host');
    return hosts.length === 1 && isSameHost(origin, hosts[0] ?? '') ? 'own' : stranger;
  };
}

/** Assumes the scheme of the origin, because a proxy may have terminated TLS; so the default port of that scheme is ignored. */
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

/** True for requests that browsers send without a preflight (simple requests of the Fetch standard). */
function isUnasked({ method, header }: Sent): boolean {
  const type = header('content-type').join().split(';', 1)[0] ?? '';
  return VERBS.has(method) && FORMS.has(type.trim().toLowerCase());
}

/** True for a navigation, whose response the linking page cannot read. */
const isVisit = ({ method, header }: Sent): boolean =>
  method !== 'POST' &&
  header('origin').length === 0 &&
  header('sec-fetch-mode').join() === 'navigate' &&
  header('sec-fetch-dest').join() === 'document';

/** Whether a page of another origin caused this request, for a resource with this kind of authentication. */
export type IsForged = (sent: Sent, proof: ProofSort) => boolean;

/** `local`: network access is the only protection of the server. */
export function forgeryJudge(allowed: HttpConfig['allowed_origins'], local: boolean): IsForged {
  const senderOf = senderJudge(allowed);
  return (sent, proof) => {
    // Only a page that holds the token can send it in a header.
    if (proof === 'header' || !isUnasked(sent)) return false;
    if (!isStranger(senderOf(sent.header), proof)) return false;
    return local || proof === 'ambient' || !isVisit(sent);
  };
}

/**
 * With all origins allowed, only ambient credentials remain protected, because browsers attach them without the user's consent.
 */
export const isStranger = (sender: Sender, proof: ProofSort): boolean =>
  sender === 'foreign' || (sender === 'any' && proof === 'ambient');
