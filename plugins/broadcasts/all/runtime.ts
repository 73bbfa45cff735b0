/** Targets every connected client. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { broadcast } from '../../kinds/broadcast.js';

const ALL = Object.freeze({ all: true as const });

export default defineRuntime(broadcast, { create: () => ({ plan: () => () => ALL }) });
