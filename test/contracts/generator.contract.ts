/** What every generator must do: what its facts promise, ten thousand times. */
import { expect } from 'chai';
import type { Generator } from '../../plugins/kinds/generator.js';
import type { Plugins } from './kind-support.js';

const MANY = 10_000;

export function generatorContract(plugins: Plugins, name: string): void {
  describe(`generator ${name}`, () => {
    let made: string[] = [];
    before(async () => {
      const generator = await plugins.handle<Generator>('generator', name);
      made = Array.from({ length: MANY }, () => generator.next());
    });

    it('makes texts of its pattern and length', () => {
      const pattern = new RegExp(`^(?:${String(plugins.fact('generator', name, 'pattern'))})$`);
      const length = Number(plugins.fact('generator', name, 'length'));
      const wrong = made.filter((id) => typeof id !== 'string' || !pattern.test(id) || id.length !== length);
      expect(wrong).to.deep.equal([]);
    });

    it('makes none twice', () => {
      expect(new Set(made).size).to.equal(MANY);
    });

    it('makes what can stand in a URL and in a file name', () => {
      expect(made.filter((id) => encodeURIComponent(id) !== id)).to.deep.equal([]);
    });

    it('sorts by time if and only if it says so', () => {
      const isSorted = made.every((id, i) => i === 0 || (made[i - 1] ?? '') < id);
      expect(isSorted).to.equal(plugins.fact('generator', name, 'sortable'));
    });
  });
}
