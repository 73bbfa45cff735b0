/** The suites use the global functions of mocha. Without mocha, those of Node's own runner (`node --test`) take their place. */
import { after, before, describe, it } from 'node:test';

if (!('describe' in globalThis)) Object.assign(globalThis, { after, before, describe, it });
