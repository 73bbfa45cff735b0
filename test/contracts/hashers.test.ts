/** Runs the contract of the kind over every hasher. */
import { hasherContract } from './hasher.contract.js';
import { contractOf, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'hasher', hasherContract);
