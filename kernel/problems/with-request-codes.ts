/** The registry of a program that answers or describes requests: with the codes that they are answered with. */
import type { CodeEntry } from '../contract/problem.js';
import { REQUEST_CODES } from './request-codes.js';

interface HasCodes {
  readonly codes: Readonly<Record<string, CodeEntry>>;
}

export const withRequestCodes = <R extends HasCodes>(registry: R): R =>
  Object.freeze({ ...registry, codes: Object.freeze({ ...REQUEST_CODES, ...registry.codes }) });
