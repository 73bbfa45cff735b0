/** Names of the interface without a plugin: reported as missing, and ignored once a plugin provides them. */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import type { Registry } from '../../../language/analysis/registry.js';
import { buildRegistry } from '../../../language/analysis/build-registry.js';
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';
import { specs } from '../../../plugins/index.spec.js';
import { kinds } from '../../../plugins/index.kinds.js';
import { createBuiltinRegistry } from '../../support/fixtures.js';

/** A kind with a name that no plugin has, whatever this distribution provides by now. */
const withExpected = kinds.map((kind) =>
  kind.kind === 'feature' ? { ...kind, expected: { later: { actionable: ['later'] } } } : kind,
);

const later = definePlugin({
  kind: 'feature',
  name: 'later',
  since: '0.2.0',
  summary: 'Comes later.',
  facts: { applies: 'when-present' },
  slots: { actionable: shape({ later: flag({ doc: 'Later.' }) }) },
  examples: [{ title: 'Later', json: { later: true } }],
  counterExamples: [{ title: 'A switch', json: { later: 1 }, code: 'DEF_TYPE', at: '/later' }],
});

const formatProblems = (registry: Registry, extra: object): string[] => {
  const text = JSON.stringify({
    id: 'a',
    resource: 'a',
    actionables: [{ id: 1, mode: 'RETURN', value: 1, ...extra }],
  });
  return analyseFiles([{ file: 'a.json', text }], registry, { env: null }).problems.map(
    ({ code, message }) => `${code} ${message}`,
  );
};

describe('absent plugins', () => {
  it('are reported as missing, not as misspelt', () => {
    expect(formatProblems(buildRegistry(withExpected, specs), { later: true })).to.deep.equal([
      'DEF_UNKNOWN_PLUGIN There is no feature "later". It belongs to the interface; no plugin here provides it.',
    ]);
  });

  it('are ordinary fields once a plugin with the name is registered', () => {
    const registry = buildRegistry(withExpected, [...specs, later]);
    expect(formatProblems(registry, { later: true })).to.deep.equal([]);
    expect(formatProblems(registry, { later: 1 })).to.have.length(1);
  });

  it('never hide a field that a plugin of another name provides', () => {
    const registry = buildRegistry(withExpected, [...specs, { ...later, name: 'another' }]);
    expect(formatProblems(registry, { later: true })).to.deep.equal([]);
  });

  it('have the name of a plugin that a definition can use', () => {
    const registry = createBuiltinRegistry();
    const expected = [...registry.kinds.values()].flatMap((kind) => Object.keys(kind.expected ?? {}));
    expect(expected).to.include.members(['queue', 'cron_job', 'HTTPREQUEST']);
  });
});
