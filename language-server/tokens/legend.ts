/** In protocol order. Standard types only, so that every theme has colours. */
export const TOKEN_TYPES = [
  'keyword',
  'function',
  'type',
  /** Tables, collections and models. */
  'class',
  /** Columns, and the segments after an accessor's root. */
  'property',
  /** Aliases of sources in a statement. */
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
  /** Offsets in the definition's document. */
  readonly start: number;
  readonly end: number;
  readonly type: TokenType;
  /** This token declares the name. */
  readonly declares?: boolean;
}
