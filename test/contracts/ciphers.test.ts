/** Runs the contract of the kind over every cipher. */
import { cipherContract } from './cipher.contract.js';
import { contractOf, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'cipher', cipherContract);
