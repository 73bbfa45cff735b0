/** Sends the examples of plugins to a running kernel, for kinds whose plugins take part in a request. */
import { FOLDERS, loadAllPlugins } from './kind-support.js';
import { servedContract } from './served.contract.js';

const plugins = await loadAllPlugins();

for (const kind of ['mode', 'feature', 'hasher', 'token', 'cipher', 'encoding', 'verifier', 'strategy', 'limiter'])
  servedContract(plugins, kind, FOLDERS);
