/** Runs the contract of the kind over every accessor. */
import { accessorContract } from './accessor.contract.js';
import { contractOf, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'accessor', accessorContract);
