/** Takes connections over from HTTP. A process that does not listen loads neither server nor `ws`. */
import { defineRuntime } from '../../../contract/plugin.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { trigger } from '../kind.js';

export default defineRuntime(trigger, {
  register(hooks, { options, running, log }) {
    if (running === undefined) return;
    const websocket = options as Readonly<Record<string, unknown>> & WebSocketConfig;
    hooks.registerUpgrade({
      path: websocket.path,
      setting: 'websocket.path',
      async open(settings) {
        const { createSocketServer } = await import('./server.js');
        return createSocketServer({ websocket, settings, running, log });
      },
    });
  },
});
