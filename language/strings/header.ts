/** A token of RFC 9110; other characters could split the message. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

export const COOKIE = 'cookie';

/** Browsers send cookies automatically: they are `ambient`. `header` is a name or an accessor. */
export const getProof = (header: string): 'header' | 'ambient' =>
  /(^|\.)cookie$/i.test(header) ? 'ambient' : 'header';

/** True for `application/json` without a charset or with UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined) return false;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}
