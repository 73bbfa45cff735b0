/** Adds the codes of starting and serving programs to a registry. */
import type { CodeEntry } from '../../contract/problem.js';
import { BOOT_CODES } from './boot-codes.js';
import { REQUEST_CODES } from './request-codes.js';

export const PROGRAM_CODES: Readonly<Record<string, CodeEntry>> = Object.freeze({ ...REQUEST_CODES, ...BOOT_CODES });

interface HasCodes {
  readonly codes: Readonly<Record<string, CodeEntry>>;
}

export const withProgramCodes = <R extends HasCodes>(registry: R): R =>
  Object.freeze({ ...registry, codes: Object.freeze({ ...PROGRAM_CODES, ...registry.codes }) });
