/** The example plugins of `test/fixtures/plugins` keep the rules that hold for those of the distribution. */
import { expect } from 'chai';
import { loadPackages } from '../../plugins/distribution.js';
import { specs as builtin } from '../../plugins/index.spec.js';
import { kinds as builtinKinds } from '../../plugins/index.kinds.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { testKinds, testSpecs } from './spec-hygiene.js';

const FOLDERS = ['./short-code', './limits', './witness', './hashing', './gate', './meeting'];
const { registry } = await loadPackages(PLUGIN_FIXTURES, ['builtin:*', ...FOLDERS], []);
const specs = [...registry.plugins.values()].filter((spec) => !builtin.includes(spec));
const kinds = [...registry.kinds.values()].filter((kind) => !builtinKinds.includes(kind));

describe('example plugins', () => {
  it('are found in nested folders too', () => {
    expect(specs.map(({ kind, name }) => `${kind}:${name}`).sort()).to.deep.equal([
      'feature:gate',
      'feature:quota',
      'generator:SHORTCODE',
      'hasher:COUNTING',
      'limiter:fixed-window',
      'limiter:token-bucket',
      'mode:LIST',
      'mode:MEET',
      'witness:recorder',
    ]);
    expect(kinds.map(({ kind }) => kind).sort()).to.deep.equal(['limiter', 'witness']);
  });

  testSpecs(registry, specs);
  testKinds(kinds);
});
