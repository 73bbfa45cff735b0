/**
 * Declares the suites of all plugins in folders: that of their specs, and that of their kind, which gets the handle as the
 * kernel creates it. A storage, cache, relay, scheduler, dialect, document store or queue has a connection that only its author can
 * open, so its suite is called with a function that opens it.
 */
import { resolve } from 'node:path';
import { expect } from 'chai';
import { pluginId } from '../../contract/plugin.js';
import { specs as builtIn } from '../../plugins/index.spec.js';
import { accessorContract } from './accessor.contract.js';
import { cipherContract } from './cipher.contract.js';
import { encodingContract } from './encoding.contract.js';
import { generatorContract } from './generator.contract.js';
import { hasherContract } from './hasher.contract.js';
import { ENV, loadPlugins, type Plugins } from './kind-support.js';
import { matcherContract } from './matcher.contract.js';
import { reporterContract } from './reporter.contract.js';
import { SPEC_ENV, testSpecs } from './spec-hygiene.js';
import { tokenContract } from './token.contract.js';
import { validationTypeContract } from './validation-type.contract.js';

/** By kind. Plugins of other kinds take part in requests: `lintel test` sends them. */
const CONTRACTS: Readonly<Record<string, (plugins: Plugins, name: string) => void>> = {
  accessor: accessorContract,
  cipher: cipherContract,
  encoding: encodingContract,
  generator: generatorContract,
  hasher: hasherContract,
  matcher: matcherContract,
  reporter: reporterContract,
  token: tokenContract,
  'validation-type': validationTypeContract,
};

/** `env`: variables that the examples read, besides `EXAMPLE_KEY` and the others of the built-in specs. */
export async function testPlugins(
  folders: string | readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const paths = [folders].flat().map((folder) => resolve(folder));
  const plugins = await loadPlugins(paths, { ...ENV, ...env });
  const { registry, configProblems } = plugins.project;
  const known = new Set(builtIn.map(pluginId));
  const specs = [...registry.plugins.values()].filter((spec) => !known.has(pluginId(spec)));
  describe(`plugins of ${paths.join(', ')}`, () => {
    it('are loaded without an error', () => {
      const errors = configProblems.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([]);
      expect(specs, 'the number of plugins in the folders').not.to.have.length(0);
    });
    testSpecs(registry, specs, { ...SPEC_ENV, ...env });
    for (const { kind, name } of specs) CONTRACTS[kind]?.(plugins, name);
  });
}
