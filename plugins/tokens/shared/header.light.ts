/** The token of a request: in the one header that the definition names, sent once. */
import { TokenRefused } from '../kind.js';

export const isAuthorization = (header: string): boolean => header.toLowerCase() === 'authorization';

// Blanks and commas are excluded, so that joined header values are rejected.
const BEARER = /^bearer ([A-Za-z0-9._-]+)$/i;
const BARE = /^(?:bearer )?([A-Za-z0-9._-]+)$/i;

/** `values`: the values of the header in the request. Throws TokenRefused. */
export function createTokenReader(header: string): (values: readonly string[]) => string {
  const form = isAuthorization(header) ? BEARER : BARE;
  return (values) => {
    if (values.length !== 1) throw new TokenRefused(values.length === 0 ? 'no header' : 'the header was sent twice');
    const found = form.exec(values[0] ?? '')?.[1];
    if (found === undefined) throw new TokenRefused('the header has another form');
    return found;
  };
}
