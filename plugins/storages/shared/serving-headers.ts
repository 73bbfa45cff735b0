/** Which types browsers display, and which they download, for all storages. */

/** Other types could run scripts under the host of the store. */
const SHOWN: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

export const createServingHeaders = (
  type: string,
): { readonly 'content-type': string; readonly 'content-disposition': string } => ({
  'content-type': type.startsWith('text/') && !type.includes(';') ? `${type}; charset=utf-8` : type,
  'content-disposition': SHOWN.has(type) ? 'inline' : 'attachment',
});
