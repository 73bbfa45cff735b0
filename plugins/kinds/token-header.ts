/** Takes a token out of a request: from the one header that the definition names, sent once, in the one form it has. */
import { TokenRefused } from './token.js';

/** The names of headers do not mind case. */
export const isAuthorization = (header: string): boolean => header.toLowerCase() === 'authorization';

// All that a token can consist of: no blank, no comma, so that joined values are refused here.
const BEARER = /^bearer ([A-Za-z0-9._-]+)$/i;
const BARE = /^(?:bearer )?([A-Za-z0-9._-]+)$/i;

/** `values` are those that the request gives for the header. Throws TokenRefused. */
export function tokenReader(header: string): (values: readonly string[]) => string {
  const form = isAuthorization(header) ? BEARER : BARE;
  return (values) => {
    if (values.length !== 1) throw new TokenRefused(values.length === 0 ? 'no header' : 'the header was sent twice');
    const found = form.exec(values[0] ?? '')?.[1];
    if (found === undefined) throw new TokenRefused('the header has another form');
    return found;
  };
}
