/** Removes secrets of the environment and tokens from reports. */
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bv[1-4]\.(?:local|public)\.[\w.-]+/;
const TOKENS = /\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bv[1-4]\.(?:local|public)\.[\w.-]+/g;

export const holdsToken = (text: string): boolean => TOKEN.test(text);

/** Longer texts first: one secret may be part of another. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '…'), text).replace(TOKENS, '…');
}
