/** Runs the contract of the kind over every token. */
import { describeContract, loadAllPlugins } from './kind-support.js';
import { tokenContract } from './token.contract.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'token', tokenContract);
