/** A token of RFC 9110; other characters could split the message. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** The header that browsers send automatically, from any page. */
export const COOKIE = 'cookie';

/** `header`: a name or an accessor. Cookies are `ambient`: browsers send them automatically. */
export const proofIn = (header: string): 'header' | 'ambient' => (/(^|\.)cookie$/i.test(header) ? 'ambient' : 'header');
