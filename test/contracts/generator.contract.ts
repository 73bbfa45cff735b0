/** Contract of generators: the guarantees of their facts, thousands of times. */
import { expect } from 'chai';
import type { Generator } from '../../plugins/generators/kind.js';
import type { Plugins } from './kind-support.js';
import { countRuns } from '../support/sample.js';

const MANY = countRuns('vectors', 2000, 20_000);
/** Bits in which identifiers generated at the same time must differ, so that none is predictable. */
const SECRET_BITS = 100;

/** The sum, over the places of an identifier, of the information in its character there. */
function measureEntropy(made: readonly string[]): number {
  const counts = Array.from(made[0] ?? '', () => new Map<string, number>());
  for (const id of made) counts.forEach((count, i) => count.set(id[i] ?? '', (count.get(id[i] ?? '') ?? 0) + 1));
  const computeEntropy = (count: ReadonlyMap<string, number>): number =>
    [...count.values()].reduce((sum, n) => sum - (n / made.length) * Math.log2(n / made.length), 0);
  return counts.reduce((sum, count) => sum + computeEntropy(count), 0);
}

export function generatorContract(plugins: Plugins, name: string): void {
  describe(`generator ${name}`, () => {
    let made: string[] = [];
    before(async function () {
      const generator = await plugins.handle<Generator>('generator', name);
      made = Array.from({ length: MANY }, () => generator.next());
    });

    it('generates texts of its pattern and length', () => {
      const pattern = new RegExp(`^(?:${String(plugins.fact('generator', name, 'pattern'))})$`);
      const length = Number(plugins.fact('generator', name, 'length'));
      const wrong = made.filter((id) => typeof id !== 'string' || !pattern.test(id) || id.length !== length);
      expect(wrong).to.deep.equal([]);
    });

    it('generates none twice', () => {
      expect(new Set(made).size).to.equal(MANY);
    });

    it('generates what a URL and a file name can contain', () => {
      expect(made.filter((id) => encodeURIComponent(id) !== id)).to.deep.equal([]);
    });

    it('sorts by time if it declares so, and shows no order if it is not predictable', () => {
      const isSorted = made.every((id, i) => i === 0 || (made[i - 1] ?? '') < id);
      const sortable = plugins.fact('generator', name, 'sortable');
      if (sortable === true || plugins.fact('generator', name, 'guessable') === false) {
        expect(isSorted).to.equal(sortable);
      }
    });

    it('is predictable if and only if it declares so', () => {
      expect(measureEntropy(made) < SECRET_BITS).to.equal(plugins.fact('generator', name, 'guessable'));
    });
  });
}
