/** Canonical form of text values. */
import type { Json } from '../../../contract/json.js';
import { listForms } from './canonical.light.js';
import type { Canonicalizer } from '../kind.js';
import { createCanonicalizer } from '../../shared/canonical.js';

export function createTextCanonicalizer(rule: Readonly<Record<string, Json>>): Canonicalizer | null {
  const change = createCanonicalizer(listForms(rule['canonical']));
  return change && ((value) => (typeof value === 'string' ? change(value) : value));
}
