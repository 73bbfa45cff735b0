/** Only where the log level is enabled, so that it costs nothing. */
import { defineRuntime } from '../../../contract/plugin.js';
import { observer } from '../kind.js';

export default defineRuntime(observer, {
  register(hooks, { log }) {
    if (log.isLevelEnabled?.('info') === false) return;
    hooks.tap('after-response', ({ id, trigger, resource, method, status, code, milliseconds, attempt }) => {
      const ms = roundTenths(milliseconds);
      const failed = code !== undefined && { code };
      const tried = attempt !== undefined && { attempt };
      log.info({ id, trigger, resource, method, status, ...failed, ...tried, ms }, WORDS[trigger] ?? 'request');
    });
    // Failed jobs and skipped runs are logged elsewhere.
    hooks.tap('happening', (event) => {
      const { what } = event;
      if (what === 'connection-opened') log.info({ id: event.id, open: event.open }, 'connection opened');
      if (what !== 'connection-closed') return;
      const { id, code, open, milliseconds } = event;
      log.info({ id, code, open, ms: roundTenths(milliseconds) }, 'connection closed');
    });
  },
});

/** Log messages by trigger; any other is a request. */
const WORDS: Readonly<Record<string, string>> = { websocket: 'message', job: 'work', cron: 'scheduled run' };

const roundTenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
