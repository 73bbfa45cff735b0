/** Detects cross-site requests and upgrades from the headers that browsers set. */
import type { IncomingMessage } from 'node:http';
import { listHeaderValues } from '../../contract/invocation.js';
import type { HttpConfig } from '../../language/analysis/config.js';
import type { ProofSort } from '../../contract/plan.js';
import { isForeignSender, type Sender } from '../../contract/trigger.js';

/** Lower-case names. */
type ReadHeader = (name: string) => readonly string[];

export type ResolveSender = (header: ReadHeader) => Sender;

/** Values of `sec-fetch-site` for the server's own pages, and for requests without a page. */
const OWN = new Set(['same-origin', 'none']);

export function createSenderResolver(allowed: HttpConfig['allowed_origins']): ResolveSender {
  const otherSender = allowed.includes('*') ? 'any' : 'foreign';
  const known = new Set(allowed.flatMap((origin) => (origin === '*' ? [] : [new URL(origin).origin])));
  return (header) => {
    const sites = header('sec-fetch-site');
    if (sites.length === 1 && OWN.has(sites[0] ?? '')) return 'own';
    const sent = header('origin');
    const [origin] = sent;
    // Programs send neither header. Browsers omit `origin` only where no page can read the response.
    if (origin === undefined) return sites.length === 0 ? 'own' : otherSender;
    if (sent.length !== 1) return otherSender;
    if (known.has(origin)) return 'listed';
    const hosts = header('host');
    return hosts.length === 1 && isSameHost(origin, hosts[0] ?? '') ? 'own' : otherSender;
  };
}

/** A proxy may have terminated TLS, so the scheme of the origin is assumed. */
function isSameHost(origin: string, host: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === named;
}

/** What the checks read of a request. */
type RequestHead = Pick<IncomingMessage, 'method' | 'rawHeaders'>;

const VERBS = new Set(['GET', 'HEAD', 'POST']);
const FORMS = new Set(['', 'text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']);

/** True for requests without a preflight (CORS-safelisted in the Fetch standard). */
function isWithoutPreflight({ method = '', rawHeaders }: RequestHead): boolean {
  const types = listHeaderValues(rawHeaders, 'content-type');
  if (types.length === 1 && types[0] === 'application/json') return false;
  const type = types.length === 0 ? '' : (types.join().split(';', 1)[0] ?? '');
  return VERBS.has(method) && FORMS.has(type.trim().toLowerCase());
}

/** The linking page cannot read the response of a navigation. */
const isNavigation = (method: string | undefined, header: ReadHeader): boolean =>
  method !== 'POST' &&
  header('origin').length === 0 &&
  header('sec-fetch-mode').join() === 'navigate' &&
  header('sec-fetch-dest').join() === 'document';

/** Whether a page of another origin caused this request. */
export type IsForged = (req: RequestHead, proof: ProofSort) => boolean;

/** `local`: network access is the server's only protection. */
export function createForgeryCheck(allowed: HttpConfig['allowed_origins'], local: boolean): IsForged {
  const senderOf = createSenderResolver(allowed);
  return (req, proof) => {
    // Only a page that holds the token can send it.
    if (proof === 'header' || !isWithoutPreflight(req)) return false;
    const readHeader: ReadHeader = (name) => listHeaderValues(req.rawHeaders, name);
    if (!isForeignSender(senderOf(readHeader), proof)) return false;
    return local || proof === 'ambient' || !isNavigation(req.method, readHeader);
  };
}
