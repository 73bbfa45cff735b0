/** Host names as the header `host` has them. */

export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Without port, brackets and final dot. */
export const parseHostName = (sent: string): string =>
  sent
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
