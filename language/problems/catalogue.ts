/**
 * All codes of checking definitions. `with-program-codes.ts` adds those of programs, specs those of plugins. `{name}`
 * is a parameter.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { AUDIT_CODES } from './audit-codes.js';
import { PLUGIN_CODES } from './plugin-codes.js';
import { DEFINITION_CODES } from './definition-codes.js';
import { LINK_CODES } from './link-codes.js';
import { PROTECTION_CODES } from './protection-codes.js';
import { TEXT_CODES } from './text-codes.js';

export const CATALOGUE: Readonly<Record<string, CodeEntry>> = Object.freeze({
  ...DEFINITION_CODES,
  ...LINK_CODES,
  ...PROTECTION_CODES,
  ...TEXT_CODES,
  ...AUDIT_CODES,
  ...PLUGIN_CODES,
});
