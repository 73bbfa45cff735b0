/**
 * Runs the tests of a changed source whenever it is saved: compiles the saved file alone and runs the tests that
 * `related-tests.ts` selects. Types are checked in the background.
 */
import chokidar from 'chokidar';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/project.js';
import { chooseTests, findTests } from './related-tests.js';
import { createPool } from './pool.js';
import { createReport } from './report.js';
import { stopServers } from './servers.js';

const FOLDERS = ['contract', 'language', 'kernel', 'cli', 'plugins', 'language-server', 'extension', 'test'];
/** Milliseconds in which several files that are saved at once belong together. */
const TOGETHER_MS = 50;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'test', 'tsconfig.json'), ts.sys.readFile.bind(ts.sys)).config,
  ts.sys,
  join(ROOT, 'test'),
);

const compiledPath = (source: string): string => join(ROOT, 'dist', relative(ROOT, source)).replace(/\.ts$/, '.js');

function compile(source: string): void {
  const target = compiledPath(source);
  const { outputText, sourceMapText } = ts.transpileModule(readFileSync(source, 'utf8'), {
    fileName: source,
    compilerOptions: { ...options, module: ts.ModuleKind.ESNext, declaration: false, composite: false },
  });
  mkdirSync(dirname(target), { recursive: true });
  const map = JSON.parse(sourceMapText ?? '{}') as object;
  writeFileSync(`${target}.map`, JSON.stringify({ ...map, sources: [relative(dirname(target), source)] }));
  writeFileSync(target, outputText);
}

async function runTests(sources: readonly string[]): Promise<void> {
  const [began, changed] = [performance.now(), sources.map(compiledPath)];
  sources.forEach(compile);
  const tests = findTests(changed);
  const chosen = chooseTests(tests, changed);
  print(
    `\n${sources.map((source) => relative(ROOT, source)).join(', ')}: ${chosen.length} of ${tests.length} test files that import it`,
  );
  if (chosen.length === 0) return;
  const report = createReport(print, chosen.length <= 3);
  report.begin(chosen.length, 1);
  await createPool({ jobs: 1, grep: null, timeout: null }, report).run(chosen);
  report.printSummary(false);
  print(`${((performance.now() - began) / 1000).toFixed(1)} s; \`npm test -- FILE\` runs others`);
}

// A saved file becomes a module; only the build creates the bundle of the package.
process.env['TEST_MODULES'] = '1';
const saved = new Set<string>();
let [timer, running]: [NodeJS.Timeout | undefined, Promise<void>] = [undefined, Promise.resolve()];
function scheduleRun(path: string): void {
  saved.add(path);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const sources = [...saved].filter((source) => existsSync(source));
    saved.clear();
    running = running.then(() => runTests(sources)).catch((error: unknown) => print(String(error)));
  }, TOGETHER_MS);
}

const types = spawn(
  process.execPath,
  [join(ROOT, 'node_modules', 'tsc-native', 'bin', 'tsc'), '-b', '--watch', '--preserveWatchOutput', '--noEmit'],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);
const isSource = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.includes('fixtures');
const watcher = chokidar.watch(
  FOLDERS.map((folder) => join(ROOT, folder)),
  {
    ignoreInitial: true,
    ignored: (path, stats) => path.includes('node_modules') || (stats?.isFile() === true && !isSource(path)),
  },
);
watcher
  .on('add', scheduleRun)
  .on('change', scheduleRun)
  .on('ready', () => print('watching; save a file and its tests run'));
process.once('SIGINT', () => {
  types.kill();
  void watcher
    .close()
    .then(stopServers)
    .then(() => process.exit(0));
});
