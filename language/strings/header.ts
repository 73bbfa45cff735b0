/** A token of RFC 9110; other characters could split the message. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

export const COOKIE = 'cookie';

/** Browsers send cookies automatically, from any page: they are `ambient`. `header` is a name or an accessor. */
export const getProof = (header: string): 'header' | 'ambient' =>
  /(^|\.)cookie$/i.test(header) ? 'ambient' : 'header';
