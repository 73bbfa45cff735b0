/**
 * Every code that a check of definitions reports, as data: title, severity, words, what to do. Codes of programs that start and answer
 * are not part of the front end (`with-program-codes.ts`), and plugins bring the codes of their own. `{name}` in a message stands for
 * a parameter.
 */
import type { CodeEntry } from '../contract/problem.js';
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
