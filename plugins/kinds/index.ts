/** Every kind of the distribution. Kinds from other folders join through the config's `plugins`. */
import type { Kind } from '../../kernel/contract/kind.js';
import { accessor } from './accessor.js';
import { dialect } from './dialect.js';
import { envelope } from './envelope.js';
import { feature } from './feature.js';
import { fieldType } from './field-type.js';
import { generator } from './generator.js';
import { mode } from './mode.js';
import { query } from './query.js';
import { validationType } from './validation-type.js';

export const kinds: readonly Kind[] = [
  accessor,
  dialect,
  envelope,
  feature,
  fieldType,
  generator,
  mode,
  query,
  validationType,
] as readonly Kind[];
