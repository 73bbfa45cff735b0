/** What specs learn of the environment and of credentials, without their values. */
import type { JsonObject } from './json.js';

export interface EnvFact {
  /** Characters; `bytes` counts UTF-8. */
  readonly length: number;
  readonly bytes: number;
  readonly blank: boolean;
  /** The first variable with the same value; absent for that variable. */
  readonly sameAs?: string;
}

/** A check runs again when one of these that it has read changes. */
export interface VariableFacts extends Omit<EnvFact, 'sameAs'> {
  /** True if there are at least so many: a longer key changes `bytes`, but not this. */
  readonly hasBytes: (least: number) => boolean;
}

/** What a place issues. `marks` is for guards and contains no environment values. */
export interface IssuedCredentials {
  /** Dotted paths in the definition. */
  readonly claims: readonly string[];
  /** Claims that are always present. */
  readonly standard: readonly string[];
  readonly marks: JsonObject;
}

export interface CredentialMismatch {
  /** Name of the field that differs. */
  readonly field: string;
  /** Where the guard demands it; null where only the issuer writes the field. */
  readonly at: string | null;
  /** Where the issuer writes the field, or would. */
  readonly issuedAt: string;
  readonly demanded: readonly string[];
  /** Null where the credentials have none. */
  readonly issued: string | null;
}
