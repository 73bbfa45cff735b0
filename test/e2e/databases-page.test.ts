/** The documentation page about databases: every config on it is valid. Opens nothing. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyseConfig } from '../../language/analysis/config.js';
import { createEnvFacts } from '../../language/project/environment.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const PAGE = readFileSync(join(ROOT, 'docs', 'databases.md'), 'utf8');
const configs = [...PAGE.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = '']) => text);
const ENV = createEnvFacts({
  DATABASE_URL: 'postgres://127.0.0.1/a',
  REPLICA_URL: 'postgres://127.0.0.1/b',
  MYSQL_URL: 'mysql://127.0.0.1/a',
  MONGO_URL: 'mongodb://127.0.0.1/a',
});

describe('documentation page about databases', () => {
  it('shows only valid configs', () => {
    expect(configs).to.have.length(3);
    for (const text of configs) {
      const { problems } = analyseConfig('lintel.config.json', text, createBuiltinRegistry(), ENV);
      expect(problems.map(({ message }) => message)).to.deep.equal([]);
    }
  });

  it('names the default stores', () => {
    const chooseConnection = (env: Record<string, string>, json = '{}') =>
      (analyseConfig('lintel.config.json', json, createBuiltinRegistry(), createEnvFacts(env)).config?.chosen ?? [])
        .filter(({ kind }) => ['dialect', 'document-store', 'queue', 'scheduler'].includes(kind))
        .map(({ kind, instance, name, options }) => [kind, instance, name, options['connection'] ?? '']);
    expect(chooseConnection({ MYSQL_URL: 'mysql://127.0.0.1/a' })).to.have.deep.members([
      ['dialect', 'main', 'mysql', ''],
      ['dialect', 'embedded', 'pglite', ''],
      ['document-store', 'main', 'embedded', 'embedded'],
      ['queue', 'queue', 'embedded', 'embedded'],
      ['scheduler', 'scheduler', 'embedded', 'embedded'],
    ]);
    // The stores are configured: nothing is added.
    const written = '{"connections": {"main": {"use": "pglite"}}}';
    expect(chooseConnection({ MYSQL_URL: 'mysql://127.0.0.1/a' }, written)).to.have.deep.members([
      ['dialect', 'main', 'pglite', ''],
      ['document-store', 'main', 'embedded', ''],
      ['queue', 'queue', 'embedded', ''],
      ['scheduler', 'scheduler', 'embedded', ''],
    ]);
  });
});
