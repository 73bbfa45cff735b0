/**
 * Kind `token`: a format of access tokens. A plugin seals claims and opens what comes back; which claims, from which
 * header, and what a refusal looks like is the business of the features `tokenize` and `protected`.
 */
import type { Claims } from '../../kernel/contract/plan.js';
import { defineKind } from '../../kernel/contract/kind.js';
import { list, numeric, shape, text, value } from '../../kernel/schema/combinators.js';
import { inResource } from './hosts.js';
import { issuedWords } from './token-words.js';

/** Why a token is not accepted: for the log alone, never with a value of the token. */
export class TokenRefused extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'TokenRefused';
  }
}

export interface TokenSettings {
  /** As written; null for the format's own default. */
  readonly algorithm: string | null;
  /** Text of a definition or of the environment; bytes where no text can say them. */
  readonly key: string | Uint8Array;
  /** New tokens will be made, not only judged. */
  readonly issues: boolean;
  /** For messages. */
  readonly place: string;
}

/** A token that was judged, with the instants (seconds since 1970) that have to be looked at again at each use. */
export interface Verified {
  readonly claims: Claims;
  readonly expiresAt: number;
  readonly validFrom: number;
}

export interface TokenLife {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly seconds: number;
  readonly id: string;
}

export interface TokenTool {
  /** Names the key, for all who can judge its tokens, and does not tell it: the audience of tokens that name no other. */
  readonly realm: string;
  issue(claims: Readonly<Record<string, unknown>>, life: TokenLife): string | Promise<string>;
  /** Form, encoding, algorithm and seal only: gives the payload as text. Throws TokenRefused. */
  open(token: string): string | Promise<string>;
  /** Everything; at once for a token that was seen before. Throws, or rejects with, TokenRefused. */
  verify(token: string, now: number): Verified | Promise<Verified>;
}

export interface TokenType {
  /** Called at load. Throws BootError for a key that cannot be used. */
  create(settings: TokenSettings): TokenTool;
}

/** Longer ones are refused before anything is decoded, and never issued. */
export const MAX_TOKEN = 8192;

export const token = defineKind<TokenType>({
  kind: 'token',
  title: 'Token format',
  summary: 'How an access token is made and judged.',
  slots: ['tokenize.type'],
  select: { by: 'field', field: 'type' },
  common: shape({
    encryption_key: value(text({ doc: 'The key itself.' }).required(), {
      doc: 'The key. Keep it in the environment.',
      roots: ['ENV'],
      secret: true,
      purpose: 'access tokens',
      examples: ['$ENV.JWT_SECRET_KEY'],
    }).required(),
    expiration: numeric({ doc: 'Lifetime of a token.', unit: 'seconds', default: 3600, examples: [86_400] })
      .integer()
      .min(1)
      .max(3_153_600_000),
    ...issuedWords,
    custom_claim_fields: list(
      text({
        doc: 'Name of a value of the result; dotted paths work.',
        complete: { source: 'value' },
        examples: ['id'],
      })
        .required()
        .matches(/^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/),
      { doc: 'Values of the result that the token carries as claims.', examples: [['id', 'email']] },
    ),
    max_length: numeric({
      doc: 'Longest token that is taken or given out.',
      unit: 'characters',
      default: MAX_TOKEN,
      advanced: true,
    })
      .integer()
      .min(64)
      .max(MAX_TOKEN),
    property_name: text({
      doc: 'Property of the answer that holds the token.',
      default: 'token',
      examples: ['access_token'],
    }).matches(/^[A-Za-z_][A-Za-z0-9_-]*$/),
  }),
  facts: {
    algorithms: { doc: 'Algorithms that `algorithm` may name.', type: 'list', required: true },
    algorithm: { doc: 'The algorithm when none is named.', type: 'string', required: true },
  },
  handle: ['create'],
  host: (fragment) => {
    const host = inResource({ tokenize: fragment });
    return { ...host, at: '/tokenize' };
  },
});
