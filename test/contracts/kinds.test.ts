/**
 * Runs the contract of each kind over every plugin of it: those of the distribution and the examples of other folders.
 * A plugin that is added is judged without an edit here.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { accessorContract } from './accessor.contract.js';
import { cipherContract } from './cipher.contract.js';
import { encodingContract } from './encoding.contract.js';
import { generatorContract } from './generator.contract.js';
import { hasherContract } from './hasher.contract.js';
import { loadPlugins } from './kind-support.js';
import { envelopeContract, servedContract } from './served.contract.js';
import { tokenContract } from './token.contract.js';
import { validationTypeContract } from './validation-type.contract.js';

const FOLDERS = ['short-code', 'limits'].map((name) => join(PLUGIN_FIXTURES, name));
const plugins = await loadPlugins(FOLDERS);

describe('contracts of kinds', () => {
  it('find plugins to judge', () => {
    const several = ['generator', 'hasher', 'validation-type', 'accessor', 'envelope', 'feature', 'mode', 'token'];
    for (const kind of [...several, 'cipher', 'encoding']) {
      expect(plugins.names(kind).length, kind).to.be.greaterThan(1);
    }
    expect(plugins.names('generator')).to.include('SHORTCODE');
  });

  for (const name of plugins.names('generator')) generatorContract(plugins, name);
  for (const name of plugins.names('hasher')) hasherContract(plugins, name);
  for (const name of plugins.names('validation-type')) validationTypeContract(plugins, name);
  for (const name of plugins.names('accessor')) accessorContract(plugins, name);
  for (const name of plugins.names('cipher')) cipherContract(plugins, name);
  for (const name of plugins.names('encoding')) encodingContract(plugins, name);
  for (const name of plugins.names('token')) tokenContract(plugins, name);
  describe('envelopes', () => plugins.names('envelope').forEach((name) => envelopeContract(plugins, name)));
  for (const kind of ['mode', 'feature', 'hasher', 'token', 'cipher', 'encoding', 'verifier', 'strategy', 'limiter'])
    servedContract(plugins, kind, FOLDERS);
});
