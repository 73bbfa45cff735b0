/** The registry of built-in specs, from which the extension's files are generated. */
import { buildRegistry, type Registry } from '../../kernel/analysis/registry.js';
import { kinds } from '../../plugins/kinds/index.js';
import { specs } from '../../plugins/index.spec.js';

export const builtIn = (): Registry => buildRegistry(kinds, specs);
