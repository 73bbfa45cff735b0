/** A small service and kernels that serve it with observers; all of them are closed after each test. */
import { startKernel, type TestKernel, type TestKernelOptions } from './kernel.js';
import { defineQueryResource, defineReturnResource } from './project.js';

export const CONNECTIONS = { main: { use: 'pglite', path: 'memory://' } };
export const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    defineQueryResource('cast', 'SELECT $1::int AS n', ['$PAYLOAD.n']),
    {
      id: 'chain',
      resource: 'shops/:shop/chain',
      actionables: [
        { id: 1, mode: 'RETURN', value: { a: 1 } },
        { id: 2, mode: 'QUERY', sql_query: { query: 'SELECT 2 AS b', parameters: [] } },
      ],
    },
  ],
};

/** For the body of a `describe`. `keep` closes a kernel that was started otherwise. */
export function createObservedKernels() {
  const kernels: TestKernel[] = [];
  const trackKernel = (kernel: TestKernel): TestKernel => {
    kernels.push(kernel);
    return kernel;
  };
  afterEach(() => Promise.all(kernels.splice(0).map((kernel) => kernel.close())));
  return {
    keep: trackKernel,
    start: async (observers: object, more: Omit<TestKernelOptions, 'files' | 'config'> = {}): Promise<TestKernel> =>
      trackKernel(await startKernel({ ...more, files: FILES, config: { connections: CONNECTIONS, observers } })),
  };
}
