/**
 * Whether a resource issues a token. One that is protected or revokes tokens uses `tokenize` for verification, and
 * issues one only with claims or a listed property.
 */
import { isObject, type Json } from '../../../contract/json.js';

export const DEFAULT_PROPERTY = 'token';

/** `resource` is a whole definition. */
export function canIssueTokens(resource: Readonly<Record<string, Json>>): boolean {
  if (resource['protected'] === undefined && resource['invalidate_tokenize'] === undefined) return true;
  const settings = isObject(resource['tokenize']) ? resource['tokenize'] : {};
  const claims = settings['custom_claim_fields'];
  const property = settings['property_name'];
  const listed = resource['returnables'];
  const isListed = property !== undefined && Array.isArray(listed) && (listed as readonly Json[]).includes(property);
  return isListed || (Array.isArray(claims) && claims.length > 0);
}
