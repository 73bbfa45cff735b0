/**
 * Every kind of the distribution, by name for plugin authors (`lintel/kinds`) and as a list for the registry. Kinds from
 * other folders join through the config's `plugins`.
 */
import type { Kind } from '../../kernel/contract/kind.js';
import { accessor } from './accessor.js';
import { dialect } from './dialect.js';
import { envelope } from './envelope.js';
import { feature } from './feature.js';
import { fieldType } from './field-type.js';
import { generator } from './generator.js';
import { hasher } from './hasher.js';
import { mode } from './mode.js';
import { query } from './query.js';
import { token } from './token.js';
import { validationType } from './validation-type.js';

export { accessor, dialect, envelope, feature, fieldType, generator, hasher, mode, query, token, validationType };
export type { Accessor, CompiledAccessor } from './accessor.js';
export type { Dialect } from './dialect.js';
export type { Feature, FeaturePlace, FeaturePlan } from './feature.js';
export type { Generator } from './generator.js';
export type { Hash, Hasher, Verify } from './hasher.js';
export type { ModeHandle } from './mode.js';
export type { Query } from './query.js';
export { TokenRefused } from './token.js';
export type { TokenSettings, TokenTool, TokenType, Verified } from './token.js';
export type { Judge, ValidationType } from './validation-type.js';

export const kinds: readonly Kind[] = [
  accessor,
  dialect,
  envelope,
  feature,
  fieldType,
  generator,
  hasher,
  mode,
  query,
  token,
  validationType,
] as readonly Kind[];
