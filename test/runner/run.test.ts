/** The runner itself: counts, output and its order, and the tests of a saved file. */
import { expect } from 'chai';
import { join } from 'node:path';
import { ROOT, createTempProject, type TempProject } from '../support/project.js';
import { listFiles, toShortName } from './files.js';
import { chooseTests, findTests } from './related-tests.js';
import { createPool, type PoolOptions } from './pool.js';
import { createReport } from './report.js';

const SKIP = new URL('../support/skip.js', import.meta.url).href;
const FILES = {
  'passes.test.mjs': `it('passes', () => {});`,
  'fails.test.mjs': `it('fails', () => { throw new Error('wrong sum'); });\nit('passes after it', () => {});`,
  'hook.test.mjs': `before(() => { throw new Error('no table'); });\nit('is never run', () => {});`,
  'skips.test.mjs': `import { skipTest } from '${SKIP}';\nit('a', function () { skipTest(this, 'no server'); });
it('b', function () { skipTest(this, 'no server'); });`,
  'ends.test.mjs': `it('ends the process', () => process.exit(3));`,
  'hangs.test.mjs': `it('blocks', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
  'no-syntax.test.mjs': `it('is not closed'`,
};

describe('test runner', () => {
  let project!: TempProject;
  before(async () => void (project = await createTempProject(FILES)));
  after(() => project.dispose());

  interface Run {
    readonly lines: readonly string[];
    readonly code: number;
  }

  async function run(names: readonly (keyof typeof FILES)[], options: Partial<PoolOptions> = {}): Promise<Run> {
    const lines: string[] = [];
    const report = createReport(
      (text) => lines.push(...text.split('\n')),
      false,
      (name) => `npm test -- ${name} --seed 1`,
    );
    report.begin(names.length, 1);
    const pool = createPool({ jobs: 1, grep: null, timeout: null, ...options }, report);
    await pool.run(names.map((name) => join(project.folder, name)));
    return { code: report.printSummary(false), lines };
  }

  it('counts passed, failed and skipped tests, and continues after a failure', async () => {
    const { lines, code } = await run(['fails.test.mjs', 'passes.test.mjs', 'skips.test.mjs']);
    expect(lines.at(-1)).to.equal('2 passed, 1 failed, 2 skipped');
    expect(code).to.equal(1);
    expect(lines).to.include('2 skipped: no server');
    const [failed = -1, next = -1] = [/^FAILED .*: fails$/, /^ {2}ok .*passes\.test/].map((pattern) =>
      lines.findIndex((line) => pattern.test(line)),
    );
    expect(failed, 'a failure is printed before the files after it').to.be.within(0, next);
    expect(lines.join('\n')).to.match(/wrong sum[\s\S]*again: npm test -- .*fails.* --seed 1/);
    expect(lines.some((line) => /^failed: .*fails.*wrong sum/.test(line))).to.equal(true);
  });

  it('exits with 0 only if a test ran and none failed', async () => {
    const passed = await run(['passes.test.mjs']);
    expect([passed.code, passed.lines.at(-1)]).to.deep.equal([0, '1 passed, 0 failed, 0 skipped']);
    const nothing = await run(['skips.test.mjs']);
    expect([nothing.code, nothing.lines.at(-1)]).to.deep.equal([1, '0 passed, 1 failed, 2 skipped']);
  });

  it('counts a failed hook, a file that cannot be loaded, and a process that exits, as failures', async () => {
    const { lines, code } = await run(['hook.test.mjs', 'no-syntax.test.mjs', 'ends.test.mjs', 'passes.test.mjs']);
    expect([code, lines.at(-1)]).to.deep.equal([1, '1 passed, 3 failed, 0 skipped']);
    expect(lines.join('\n')).to.include('no table').and.to.include('the test process ended with code 3');
  });

  it('stops a file that hangs, and runs the others', async () => {
    const { lines, code } = await run(['hangs.test.mjs', 'passes.test.mjs'], { patience: 6000 });
    expect([code, lines.at(-1)]).to.deep.equal([1, '1 passed, 1 failed, 0 skipped']);
    expect(lines.join('\n')).to.include('blocks').and.to.include('was not over after 6 seconds');
  });
});

describe('test selection for a saved file', () => {
  const toCompiledPath = (source: string): string => join(ROOT, 'dist', source.replace(/\.ts$/, '.js'));
  const nearest = (source: string): string[] => findTests([toCompiledPath(source)]).map(toShortName);

  it('starts with the tests of that file', () => {
    expect(nearest('plugins/generators/ulid/runtime.ts')[0]).to.equal('contracts/generators');
    expect(nearest('plugins/body-formats/multipart-form/spool.ts')[0]).to.equal('plugins/body-formats/spool');
    expect(nearest('plugins/verifiers/jwt/runtime.ts').slice(0, 8)).to.include('e2e/webhooks');
  });

  it('contains the tests that import it, also indirectly', () => {
    const tests = nearest('plugins/ciphers/aes-256-gcm/runtime.ts');
    expect(tests).to.include('e2e/ciphers');
    expect(tests).not.to.include('language/source');
    expect(tests.length).to.be.lessThan(listFiles().length);
  });

  it('fits into a few seconds, and always contains a saved test file', () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => toCompiledPath(`test/e2e/${name}.test.ts`));
    const durations = { 'e2e/a': [2, 2], 'e2e/b': [60, 60], 'e2e/c': [0.9, 0.1], 'e2e/d': [0.8, 0.1] } as const;
    const listChosen = (changed: string[]): string[] => chooseTests(files, changed, durations).map(toShortName);
    expect(listChosen([])).to.deep.equal(['e2e/a', 'e2e/c']);
    expect(listChosen([files[1] ?? ''])).to.include('e2e/b');
  });
});
