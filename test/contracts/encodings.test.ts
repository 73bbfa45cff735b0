/** Runs the contract of the kind over every encoding. */
import { encodingContract } from './encoding.contract.js';
import { contractOf, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'encoding', encodingContract);
