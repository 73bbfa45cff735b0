/** Runs the contract of the kind over every validation type. */
import { contractOf, loadAllPlugins } from './kind-support.js';
import { validationTypeContract } from './validation-type.contract.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'validation-type', validationTypeContract);
