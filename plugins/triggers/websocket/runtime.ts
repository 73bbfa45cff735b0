/** Takes connections over from HTTP. The server and `ws` are loaded only by a process that listens. */
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
