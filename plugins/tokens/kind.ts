/**
 * Kind `token`: a format of access tokens. `tokenize` and `protected` select claims and headers and create error
 * responses.
 */
import type { Claims } from '../../contract/plan.js';
import { defineKind } from '../../contract/kind.js';
import { list, numeric, shape, text, value } from '../../contract/combinators.js';
import { wrapInResource } from '../shared/examples.light.js';
import { issuedFields } from './shared/audience.light.js';

/** For the log only, and never with a value of the token. */
export class TokenRefused extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'TokenRefused';
  }
}

export interface TokenSettings {
  /** As written; null: the default of the format. */
  readonly algorithm: string | null;
  /** Text of a definition or the environment; bytes for keys that are not text. */
  readonly key: string | Uint8Array;
  /** Tokens will be issued, not only verified. */
  readonly issues: boolean;
  /** Location, for messages. */
  readonly place: string;
}

/** A verified token, with the instants (seconds since 1970) that must be checked at each use. */
export interface VerifiedToken {
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
  /** Public identifier of the key; the default audience of tokens. */
  readonly realm: string;
  issueToken(claims: Readonly<Record<string, unknown>>, life: TokenLife): string | Promise<string>;
  /** Verifies only form, encoding, algorithm and signature, and returns the payload as text. Throws TokenRefused. */
  open(token: string): string | Promise<string>;
  /** Verifies everything; synchronous for a cached token. Throws, or rejects with, TokenRefused. */
  verify(token: string, now: number): VerifiedToken | Promise<VerifiedToken>;
}

export interface TokenType {
  /** Called at load. Throws BootError for an invalid key. */
  create(settings: TokenSettings): TokenTool;
}

/** Maximum characters: longer tokens are rejected before decoding, and never issued. */
export const MAX_TOKEN = 8192;

export const token = defineKind<TokenType>({
  kind: 'token',
  title: 'Token format',
  summary: 'How an access token is issued and validated.',
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
    ...issuedFields,
    custom_claim_fields: list(
      text({
        doc: 'Name of a value of the result, or a dotted path.',
        declares: 'issued-claim',
        complete: { source: 'value' },
        examples: ['id'],
      })
        .required()
        .matches(/^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/),
      { doc: 'Values of the result that become claims of the token.', examples: [['id', 'email']] },
    ),
    max_length: numeric({
      doc: 'Maximum length of a token that is accepted or issued.',
      unit: 'characters',
      default: MAX_TOKEN,
      advanced: true,
    })
      .integer()
      .min(64)
      .max(MAX_TOKEN),
    property_name: text({
      doc: 'Property of the response with the token.',
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
    const host = wrapInResource({ tokenize: fragment });
    return { ...host, at: '/tokenize' };
  },
});
