/** Runs the contract of the kind over every validation type. */
import { describeContract, loadAllPlugins } from './kind-support.js';
import { validationTypeContract } from './validation-type.contract.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'validation-type', validationTypeContract);
