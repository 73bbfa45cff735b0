/** Runs the contract of the kind over every token. */
import { contractOf, loadAllPlugins } from './kind-support.js';
import { tokenContract } from './token.contract.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'token', tokenContract);
