/** Runs the contract of the kind over every encoding. */
import { encodingContract } from './encoding.contract.js';
import { describeContract, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'encoding', encodingContract);
