/** Types of semantic tokens, in the order of their numbers in the protocol: standard ones, so that every theme has colours. */
export const TOKEN_TYPES = [
  'keyword',
  'function',
  'type',
  /** Tables, collections and models. */
  'class',
  /** Columns, and what follows the root of an accessor. */
  'property',
  /** Names that a statement gives its sources. */
  'variable',
  /** Placeholders and bare names of values. */
  'parameter',
  'string',
  'number',
  'comment',
  'operator',
  /** Roots of accessors. */
  'macro',
  /** Ids of resources. */
  'namespace',
] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

export const TOKEN_MODIFIERS = ['declaration'] as const;

export interface Token {
  /** Offsets in the document of the definition. */
  readonly start: number;
  readonly end: number;
  readonly type: TokenType;
  /** The name is given here. */
  readonly declares?: boolean;
}
