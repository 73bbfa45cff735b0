/** Names of headers. Text only. */

/** A token of RFC 9110; anything else could break a message in two. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
