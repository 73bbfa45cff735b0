/** Canonical form of text values. */
import type { Json } from '../../../kernel/contract/json.js';
import { formsOf } from '../../kinds/canonical.js';
import type { Canonical } from '../../kinds/validation-type.js';
import { canonicalText } from '../../shared/canonical.js';

export function textForm(rule: Readonly<Record<string, Json>>): Canonical | null {
  const change = canonicalText(formsOf(rule['canonical']));
  return change && ((value) => (typeof value === 'string' ? change(value) : value));
}
