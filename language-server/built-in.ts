/**
 * The kinds and specs of the distribution. In the bundle of the extension's server something else stands in for this file: the same as
 * data, and their code when it is called (`extension/tools/built-in.ts`).
 */
import type { SpecList } from '../kernel/export/packed.js';
import { specs } from '../plugins/index.spec.js';
import { kinds } from '../plugins/kinds/index.js';

const all: SpecList = { kinds, specs };

/** They have made a registry before, and need not be judged again. */
export const IS_JUDGED = false;

/** The same each time. */
export const builtIn = (): SpecList => all;
