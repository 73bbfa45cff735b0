/** Runs the contract of the kind over every cipher. */
import { cipherContract } from './cipher.contract.js';
import { describeContract, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'cipher', cipherContract);
