/** Targets every connected client. */
import { defineRuntime } from '../../../contract/plugin.js';
import { broadcast } from '../kind.js';

const ALL = Object.freeze({ all: true as const });

export default defineRuntime(broadcast, { create: () => ({ plan: () => () => ALL }) });
