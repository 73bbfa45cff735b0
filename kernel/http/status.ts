/** The status page: liveness, readiness and the health of plugins, without driver versions. */
import type { Reply } from '../../contract/reply.js';
import type { Kernel } from '../runtime/kernel.js';

/** `rest`: the path after the status path. Null for an unknown one. */
export async function getStatus(
  kernel: Kernel,
  rest: string,
  closing: boolean,
  connections: (() => number) | null,
): Promise<Pick<Reply, 'status' | 'body'> | null> {
  if (rest === '/live') return { status: 200, body: { live: true } };
  if (rest !== '' && rest !== '/ready') return null;
  const plugins = await kernel.health();
  const healthy = Object.values(plugins).every(({ ok, optional }) => ok || optional === true);
  const ready = healthy && !closing;
  const body = {
    live: true,
    ready,
    degraded: kernel.degraded(),
    definitions: kernel.plans().hash,
    resources: kernel.plans().byId.size,
    ...(connections !== null && { connections: connections() }),
    plugins,
  };
  return { status: ready ? 200 : 503, body };
}
