/** Runs the contract of the kind over every envelope. */
import { contractOf, loadAllPlugins } from './kind-support.js';
import { envelopeContract } from './served.contract.js';

const plugins = await loadAllPlugins();

contractOf(plugins, 'envelope', envelopeContract);
