/** Takes connections over from HTTP. A process that does not listen loads neither server nor `ws`. */
import { defineRuntime } from '../../../contract/plugin.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { trigger } from '../kind.js';
import type { SocketServer } from './server.js';

interface Handle {
  /** Null until the server listens. */
  server: SocketServer | null;
}

export default defineRuntime<object, Handle>(trigger, {
  create: () => ({ server: null }),
  createConsolePane: (handle) => ({ title: 'Connections', read: () => handle.server?.describeConnections() ?? {} }),
  register(hooks, { options, running, log }, handle) {
    if (running === undefined) return;
    const websocket = options as Readonly<Record<string, unknown>> & WebSocketConfig;
    hooks.registerUpgrade({
      path: websocket.path,
      setting: 'websocket.path',
      async open(settings) {
        const { createSocketServer } = await import('./server.js');
        return (handle().server = createSocketServer({ websocket, settings, running, log }));
      },
    });
  },
});
