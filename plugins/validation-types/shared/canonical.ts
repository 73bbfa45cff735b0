/** Canonical form of text values. */
import type { Json } from '../../../contract/json.js';
import { formsOf } from './canonical.light.js';
import type { Canonical } from '../kind.js';
import { canonicalText } from '../../shared/canonical.js';

export function textForm(rule: Readonly<Record<string, Json>>): Canonical | null {
  const change = canonicalText(formsOf(rule['canonical']));
  return change && ((value) => (typeof value === 'string' ? change(value) : value));
}
