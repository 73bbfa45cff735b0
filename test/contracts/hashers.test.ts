/** Runs the contract of the kind over every hasher. */
import { hasherContract } from './hasher.contract.js';
import { describeContract, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'hasher', hasherContract);
