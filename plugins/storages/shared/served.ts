/** How a stored file is served, wherever it is kept: what a browser shows, and what it only saves. One rule for all drivers. */

/** Shown in the page; everything else could run scripts under the host of the store, and is offered as a download. */
const SHOWN: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

export const servedAs = (
  type: string,
): { readonly 'content-type': string; readonly 'content-disposition': string } => ({
  'content-type': type.startsWith('text/') && !type.includes(';') ? `${type}; charset=utf-8` : type,
  'content-disposition': SHOWN.has(type) ? 'inline' : 'attachment',
});
