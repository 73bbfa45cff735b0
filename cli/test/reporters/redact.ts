/** Removes secrets of the environment and tokens from what a report shows. */
const TOKENS = /\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bv[1-4]\.(?:local|public)\.[\w.-]+/g;

/** Longer texts first, because one secret may be a part of another. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '…'), text).replace(TOKENS, '…');
}
