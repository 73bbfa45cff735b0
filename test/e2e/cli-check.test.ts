/** The read-only command line: help, version, `check`, `plan`, and errors of a config. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli, type Finished } from '../support/cli.js';
import type { Loose } from '../support/client.js';
import {
  copySample,
  defineQueryResource,
  defineReturnResource,
  ROOT,
  SAMPLE_ENV,
  createTempProject,
  type Files,
  type TempProject,
} from '../support/project.js';

describe('lintel: read-only commands', function () {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function run(words: readonly string[], files: Files = {}, env: Record<string, string> = {}): Promise<Finished> {
    const project = await createTempProject(files);
    projects.push(project);
    return runCli(words, { cwd: project.folder, env });
  }

  it('lists the isolation and the locks of each transaction with check --transactions', async () => {
    const step = (id: number, query: string): object => ({
      id,
      mode: 'QUERY',
      sql_query: { query, parameters: ['$PAYLOAD.id'] },
    });
    const { code, stdout } = await run(['check', '--transactions'], {
      'lintel.config.json': { connections: { main: { use: 'postgres', url: 'postgres://nowhere' } } },
      'definitions/all.json': [
        { _seat: { id: { type: 'String', primary_key: true }, n: { type: 'Number' } } },
        {
          ...{
            id: 'book',
            resource: 'book',
            returnables: ['id'],
            acknowledge: [{ code: 'SEC_NO_OWNER', because: 'a test' }],
          },
          actionables: [
            step(1, 'SELECT count(*) AS n FROM _seat WHERE n > 0 AND id <> $1'),
            step(2, 'INSERT INTO _seat (id, n) VALUES ($1, 1) RETURNING id'),
          ],
        },
        { id: 'echo', resource: 'echo', actionables: [{ id: 1, mode: 'RETURN', value: { ok: true } }] },
      ],
    });
    expect(code, stdout).to.equal(0);
    const [head, ...rows] = stdout.slice(stdout.indexOf('actionables ')).trim().split('\n');
    expect(head).to.match(/^actionables +isolation +locks +why$/);
    expect(rows.join('\n'))
      .to.match(/^book#1, book#2 +serializable/)
      .and.not.include('echo');
  });

  describe('usage', () => {
    it('prints the version of the package with --version', async () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      expect(await run(['--version'])).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
    });

    it('lists the commands on stdout with --help, and reports a missing command on stderr', async () => {
      const help = await run(['--help']);
      expect(help.code).to.equal(0);
      for (const word of ['serve', 'dev', 'check', 'plan', '--config', '--format', 'PORT'])
        expect(help.stdout).to.contain(word);
      const nothing = await run([]);
      expect([nothing.code, nothing.stdout]).to.deep.equal([2, '']);
      expect(nothing.stderr).to.equal(help.stdout);
    });

    for (const [word, near] of [
      ['chekc', 'check'],
      ['srve', 'serve'],
    ] as const) {
      it(`suggests "${near}" for the unknown command "${word}"`, async () => {
        const { code, stderr } = await run([word]);
        expect(code).to.equal(2);
        expect(stderr).to.contain(`There is no command "${word}". Did you mean "${near}"?`);
      });
    }

    it('rejects names of object methods as commands', async () => {
      for (const word of ['constructor', 'toString', '__proto__']) expect((await run([word])).code).to.equal(2);
    });

    it('reports an unknown option and an unknown format without a stack', async () => {
      const option = await run(['check', '--fromat', 'json']);
      expect([option.code === 0, option.stderr.includes('    at ')]).to.deep.equal([false, false]);
      expect(option.stderr).to.contain('--fromat');
      const format = await run(['check', '--format', 'xml']);
      expect(format.code).to.equal(2);
      expect(format.stderr).to.contain('pretty, json, sarif');
    });
  });

  const VALID = { 'definitions/a.json': defineReturnResource('a', 1) };
  const BROKEN = {
    'definitions/a.json': '{\n  "id": "a",\n  "resource": "a",\n  "actionabels": []\n}\n',
    'definitions/b.json': JSON.stringify([defineReturnResource('twice', 1), defineReturnResource('twice', 2)]),
  };

  describe('check', () => {
    it('passes a valid set with exit code 0', async () => {
      const { code, stdout, stderr } = await run(['check'], VALID);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.contain('0 errors, 0 warnings, 0 hints');
    });

    it('shows each problem with its line, and exits with 1', async () => {
      const { code, stdout } = await run(['check'], BROKEN);
      expect(code).to.equal(1);
      expect(stdout).to.contain('definitions/a.json:4:3');
      expect(stdout).to.contain('  "actionabels": []');
      expect(stdout).to.contain('Did you mean "actionables"?');
      expect(stdout).to.match(/│ {3}\^{13}\n/);
      expect(stdout).not.to.contain('\u001b[');
    });

    it('does not fail for warnings and hints alone', async () => {
      const unreachable = {
        ...defineReturnResource('a', 1),
        actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }],
      };
      const { code, stdout } = await run(['check'], { 'definitions/a.json': unreachable });
      expect(code).to.equal(0);
      expect(stdout).to.contain('LNK_UNREACHABLE').and.contain('1 warning');
    });

    it('prints machine-readable rows with --format json', async () => {
      const { code, stdout } = await run(['check', '--format', 'json'], BROKEN);
      expect(code).to.equal(1);
      const rows = JSON.parse(stdout) as Loose[];
      expect(rows.length).to.be.greaterThan(2);
      for (const row of rows) {
        expect(row).to.have.all.keys('code', 'severity', 'message', 'file', 'range', 'related', 'fix', 'others');
        expect(row['severity']).to.be.oneOf(['error', 'warning', 'hint']);
      }
      const misspelt = rows.find((row) => row['code'] === 'DEF_UNKNOWN_KEY');
      expect(misspelt).to.deep.include({
        file: 'definitions/a.json',
        range: { start: { line: 3, character: 2 }, end: { line: 3, character: 15 } },
        related: [],
      });
      expect(misspelt?.['fix']).to.include({ title: 'rename to "actionables"', text: '"actionables"' });
      const twice = rows.find((row) => row['code'] === 'LNK_DUPLICATE_ID');
      expect((twice?.['related'] as Loose[])[0]).to.have.all.keys('file', 'range', 'message');
      expect(JSON.parse((await run(['check', '--format', 'json'], VALID)).stdout)).to.deep.equal([]);
    });

    it('prints one-based regions and a rule for each code with --format sarif', async () => {
      const { code, stdout } = await run(['check', '--format', 'sarif'], BROKEN);
      expect(code).to.equal(1);
      interface Sarif {
        version: string;
        runs: { tool: { driver: { rules: { id: string }[] } }; results: Loose[] }[];
      }
      const { version, runs } = JSON.parse(stdout) as Sarif;
      expect([version, runs.length]).to.deep.equal(['2.1.0', 1]);
      const { results, tool } = runs[0]!;
      const rules = tool.driver.rules.map(({ id }) => id);
      for (const result of results) expect(rules).to.include(result['ruleId']);
      const misspelt = results.find((result) => result['ruleId'] === 'DEF_UNKNOWN_KEY');
      expect(misspelt?.['level']).to.equal('error');
      expect(misspelt?.['locations']).to.deep.equal([
        {
          physicalLocation: {
            artifactLocation: { uri: 'definitions/a.json' },
            region: { startLine: 4, startColumn: 3, endLine: 4, endColumn: 16 },
          },
        },
      ]);
    });

    it('connects to nothing and writes nothing', async () => {
      const project = await createTempProject();
      projects.push(project);
      await copySample(project.folder);
      const env = { ...SAMPLE_ENV, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' };
      const { code, stdout } = await runCli(['check'], { cwd: project.folder, env });
      expect([code, stdout]).to.deep.equal([0, '0 errors, 0 warnings, 0 hints (1 acknowledged)\n']);
      const { readdir } = await import('node:fs/promises');
      expect(await readdir(project.folder)).to.deep.equal(['definitions']);
    });
  });

  describe('config file', () => {
    it('is named with --config, and paths in it are relative to it', async () => {
      const files = {
        'conf/my.json': { definitions: ['defs/*.json'] },
        'conf/defs/a.json': BROKEN['definitions/a.json'],
      };
      const { code, stdout } = await run(['check', '--config', 'conf/my.json'], files);
      expect(code).to.equal(1);
      expect(stdout).to.contain('conf/defs/a.json:4:3');
    });

    it('is invalid if a pattern matches no file, which prevents the start', async () => {
      const config =
        '{\n  "definitions": ["definitions/*.json", "defintions/*.json", "definitions/*.jsonc", "!old/*"]\n}\n';
      const files = { ...VALID, 'lintel.config.json': config };
      for (const command of ['check', 'serve']) {
        const { code, stdout, stderr } = await run([command], files);
        expect(code, command).to.equal(1);
        expect(stdout + stderr)
          .to.contain('CFG_NO_FILE No file matches "defintions/*.json"')
          .and.contain('lintel.config.json:2:41')
          .and.not.contain('2 errors');
      }
    });

    it('is named if it is missing', async () => {
      const { code, stderr } = await run(['check', '--config', 'nowhere.json']);
      expect(code).to.equal(1);
      expect(stderr).to.contain('nowhere.json').and.contain('there is no such file').and.not.contain('    at ');
    });

    it('has problems with locations, which stop every command', async () => {
      const files = { ...VALID, 'lintel.config.json': '{\n  "htpp": {},\n  "definitions": "x"\n}\n' };
      const { code, stdout } = await run(['check'], files);
      expect(code).to.equal(1);
      expect(stdout).to.contain('lintel.config.json:2:3').and.contain('Did you mean "http"?');
      expect(stdout).to.contain('lintel.config.json:3:18');
      for (const command of ['serve', 'dev']) {
        const rejected = await run([command], files);
        expect(rejected.code, command).to.equal(1);
        expect(rejected.stderr).to.contain('lintel.config.json:2:3').and.not.contain('    at ');
      }
      const planned = await run(['plan', 'a'], files);
      expect(planned.code).to.equal(1);
      expect(planned.stderr).not.to.contain('    at ');
    });

    it('reports two keys with one value in one row, also if no definition names them', async () => {
      const env = { BLIND_INDEX_KEY: 'k1'.repeat(16), QUEUE_ENCRYPTION_KEY: 'k1'.repeat(16) };
      const files = { 'definitions/a.json': defineReturnResource('a', 1) };
      const { code, stdout, stderr } = await run(['check'], files, env);
      expect(code).to.equal(0);
      expect((stdout + stderr).match(/SEC_SAME_VALUE.*/g)).to.have.length(1);
      const apart = await run(['check'], files, { ...env, BLIND_INDEX_KEY: 'k2'.repeat(16) });
      expect(apart.stdout + apart.stderr).not.to.contain('SEC_SAME_VALUE');
    });

    it('reports a missing variable where it is used; .env sets it, and the environment takes precedence', async () => {
      const files = {
        'definitions/a.json': defineQueryResource('a', 'SELECT $1::text = $2::text AS same', [
          '$ENV.API_KEY',
          '$PAYLOAD.key',
        ]),
      };
      const missing = await run(['check'], files);
      expect(missing.code).to.equal(1);
      expect(missing.stdout).to.contain('ENV_MISSING').and.contain('"API_KEY"').and.contain('definitions/a.json:');
      expect((await run(['check'], { ...files, '.env': 'API_KEY=from-file\n' })).code).to.equal(0);
      expect((await run(['check'], files, { API_KEY: 'from-env' })).code).to.equal(0);
      expect((await run(['check'], { ...files, '.env': 'API_KEY=\n' })).code).to.equal(1);
    });

    for (const [name, value] of [
      ['PORT', 'eighty'],
      ['PORT', '70000'],
      ['PORT', '-1'],
      ['MAX_PAYLOAD_LIMIT', '1MB'],
    ] as const) {
      it(`rejects ${name}=${value} by name`, async () => {
        const { code, stderr } = await run(['serve'], VALID, { [name]: value });
        expect(code).to.equal(1);
        expect(stderr).to.contain('CFG_VARIABLE').and.contain(`"${name}"`).and.not.contain('    at ');
      });
    }
  });

  describe('plan', () => {
    const files = {
      'definitions/a.json': [
        {
          id: 'transfer',
          resource: 'wallet/transfer',
          actionables: [
            {
              id: 1,
              mode: 'QUERY',
              payload_validation: [{ field: { amount: { type: 'NUMBER' } } }],
              sql_query: { query: 'SELECT $1::float8 AS x, $2::text AS k', parameters: ['amount', '$ENV.SECRET'] },
            },
          ],
        },
        { id: 'broken', resource: 'broken' },
      ],
    };
    const env = { SECRET: 'canary-plan-8842', DATABASE_URL: 'postgres://u:canary-plan-pw@127.0.0.1:1/x' };

    for (const id of ['transfer', 'wallet/transfer']) {
      it(`shows the plan of "${id}", without a connection and without a secret`, async () => {
        const { code, stdout, stderr } = await run(['plan', id], files, env);
        expect([code, stderr]).to.deep.equal([0, '']);
        expect(stdout).to.contain('path: wallet/transfer').and.contain('payload_validation');
        expect(stdout).to.contain('$1 = amount (name)').and.contain('$2 = $ENV.SECRET (accessor)');
        expect(stdout).not.to.contain('canary');
      });
    }

    it('prints JSON with --format json', async () => {
      const { stdout } = await run(['plan', 'transfer', '--format', 'json'], files, env);
      expect(JSON.parse(stdout)).to.include({ id: 'transfer', path: 'wallet/transfer', main: 'transfer#1' });
    });

    it('prints only JSON with --format json, also if there are warnings', async () => {
      const project = await createTempProject();
      try {
        await copySample(project.folder);
        const words = ['plan', 'wallet-transfer-01', '--format', 'json'];
        const { code, stdout } = await runCli(words, { cwd: project.folder, env: SAMPLE_ENV });
        expect(code).to.equal(0);
        expect(JSON.parse(stdout)).to.include({ id: 'wallet-transfer-01', main: 'wallet-transfer-01#6' });
      } finally {
        await project.dispose();
      }
    });

    it('reports an unknown id with the nearest one, an invalid resource, and a missing id', async () => {
      const unknown = await run(['plan', 'tranfser'], files, env);
      expect(unknown.code).to.equal(1);
      expect(unknown.stderr).to.contain('"tranfser" does not exist').and.contain('Did you mean "transfer"?');
      const broken = await run(['plan', 'broken'], files, env);
      expect(broken.code).to.equal(1);
      expect(broken.stderr).to.contain('has errors').and.not.contain('Did you mean "broken"?');
      expect((await run(['plan'], files, env)).code).to.equal(2);
      expect((await run(['plan', 'transfer', '--format', 'yaml'], files, env)).code).to.equal(2);
    });
  });
});
