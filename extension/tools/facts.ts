/** What the generated files of the extension are made from: the registry of the distribution's own specs. */
import { buildRegistry, type Registry } from '../../kernel/analysis/registry.js';
import { kinds } from '../../plugins/kinds/index.js';
import { specs } from '../../plugins/index.spec.js';

export const builtIn = (): Registry => buildRegistry(kinds, specs);
