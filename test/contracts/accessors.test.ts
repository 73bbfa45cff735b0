/** Runs the contract of the kind over every accessor. */
import { accessorContract } from './accessor.contract.js';
import { describeContract, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'accessor', accessorContract);
