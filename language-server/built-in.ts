/** The built-in kinds and specs. The extension's bundle replaces this module by prebuilt data (`extension/tools/built-in.ts`). */
import type { SpecList } from '../language/export/pack-specs.js';
import { specs } from '../plugins/index.spec.js';
import { kinds } from '../plugins/index.kinds.js';

const all: SpecList = { kinds, specs };

/** True in the bundle: its specs were validated at build time. */
export const IS_VALIDATED = false;

export const builtIn = (): SpecList => all;
