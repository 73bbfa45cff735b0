/** The registry of built-in specs, from which the extension's files are generated. */
import type { Registry } from '../../language/analysis/registry.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { kinds } from '../../plugins/index.kinds.js';
import { specs } from '../../plugins/index.spec.js';

export const builtIn = (): Registry => buildRegistry(kinds, specs);
