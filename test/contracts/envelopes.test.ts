/** Runs the contract of the kind over every envelope. */
import { describeContract, loadAllPlugins } from './kind-support.js';
import { envelopeContract } from './served.contract.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'envelope', envelopeContract);
