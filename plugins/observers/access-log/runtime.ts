/** Taps only where somebody reads: a log that is switched off costs nothing. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { observer } from '../../kinds/observer.js';

export default defineRuntime(observer, {
  register(hooks, { log }) {
    if (log.isLevelEnabled?.('info') === false) return;
    hooks.tap('after-response', ({ id, trigger, resource, method, status, code, milliseconds }) => {
      const ms = Math.round(milliseconds * 10) / 10;
      log.info({ id, trigger, resource, method, status, ...(code !== undefined && { code }), ms }, 'request');
    });
  },
});
