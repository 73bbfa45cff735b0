/**
 * The spec of every plugin of the distribution against the rules for specs, and rules across all of them: names,
 * versions and error codes without collisions.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pluginId } from '../../contract/plugin.js';
import type { CodeEntry } from '../../contract/problem.js';
import { CATALOGUE } from '../../language/problems/catalogue.js';
import { PROGRAM_CODES } from '../../language/problems/with-program-codes.js';
import { specs } from '../../plugins/index.spec.js';
import { kinds } from '../../plugins/index.kinds.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';
import { testKinds, testSpecs } from './spec-hygiene.js';

describe('spec hygiene', () => {
  testSpecs(createBuiltinRegistry(), specs);

  describe('kinds', () => testKinds(kinds));

  describe('all specs together', () => {
    it('have unique names', () => {
      const ids = specs.map(pluginId);
      expect(new Set(ids).size).to.equal(ids.length);
    });

    it('are complete: every spec in a folder of plugins/ is listed', async () => {
      const folder = join(ROOT, 'plugins');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const built = files.flatMap((file) => (basename(file) === 'spec.ts' ? [file.replace(/\.ts$/, '.js')] : []));
      const modules = built.map((file) => import(join(ROOT, 'dist/plugins', file)));
      // A file exports one spec, or a list of small ones.
      const exported = (await Promise.all(modules)).flatMap(
        (found: object) => Object.values(found).flat() as unknown[],
      );
      expect(specs).to.have.members(exported);
    });

    it('are not newer than the package', () => {
      const file = readFileSync(join(ROOT, 'package.json'), 'utf8');
      const { version } = JSON.parse(file) as { version: string };
      const parts = (text: string): number[] => text.split('.').map(Number);
      const [major = 0, minor = 0, patch = 0] = parts(version);
      for (const spec of specs) {
        const [a = 0, b = 0, c = 0] = parts(spec.since);
        expect(a * 1e6 + b * 1e3 + c, pluginId(spec)).to.be.at.most(major * 1e6 + minor * 1e3 + patch);
      }
    });

    it('do not define one error code twice; only one shared row may be listed by several', () => {
      const owners = new Map<string, CodeEntry>();
      for (const spec of specs) {
        for (const [code, entry] of Object.entries(spec.errors ?? {})) {
          expect({ ...CATALOGUE, ...PROGRAM_CODES }, `${pluginId(spec)} redefines ${code}`).not.to.have.property(code);
          const known = owners.get(code);
          if (known !== undefined) expect(known, `${code} of ${pluginId(spec)}`).to.equal(entry);
          owners.set(code, entry);
        }
      }
      expect(owners.size).to.be.at.least(10);
    });
  });
});
