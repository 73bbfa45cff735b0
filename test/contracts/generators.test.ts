/** Runs the contract of the kind over every generator. */
import { expect } from 'chai';
import { generatorContract } from './generator.contract.js';
import { describeContract, loadAllPlugins } from './kind-support.js';

const plugins = await loadAllPlugins();

describeContract(plugins, 'generator', generatorContract);

it('the contract of kind generator covers plugins of other folders', () =>
  expect(plugins.names('generator')).to.include('SHORTCODE'));
