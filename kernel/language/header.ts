/** Names of headers. Text only. */

/** A token of RFC 9110; anything else could break a message in two. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** What a browser brings by itself, whichever page has it send a request. */
export const COOKIE = 'cookie';

/** `header`: a name, or an accessor of it. */
export const proofIn = (header: string): 'header' | 'ambient' => (/(^|\.)cookie$/i.test(header) ? 'ambient' : 'header');
