/** The compiled test files that the tool may run, and the imports of each. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

export interface TestFile {
  /** `dist/test/plugins/body-formats/spool.test.js`. */
  readonly path: string;
  /**
   * Sources (`plugins/body-formats/multipart-form/spool.ts`) that it imports, also indirectly; not those loaded on
   * demand.
   */
  readonly imports: ReadonlySet<string>;
  /** Of all texts that it imports or loads on demand. */
  readonly hash: string;
}

/**
 * Excluded: the editor, tests that read or pack sources, that measure time, or that change with any file of the
 * repository.
 */
const LEFT_OUT = new Set(['package', 'speed', 'idle-gc', 'large-projects', 'budget', 'test-servers', 'kill-report']);
const LEFT_OUT_FOLDERS = /^dist\/test\/(editor|architecture)\//;

/** Throws where a name has no test file any more. */
export function selectTestFiles(paths: readonly string[]): string[] {
  const getName = (path: string): string => basename(path, '.test.js');
  const names = new Set(paths.map(getName));
  for (const name of LEFT_OUT) if (!names.has(name)) throw new Error(`No test file is named "${name}".`);
  return paths.filter((path) => !LEFT_OUT_FOLDERS.test(path) && !LEFT_OUT.has(getName(path)));
}

export function listTestFiles(root: string): TestFile[] {
  const files = selectTestFiles(
    readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => join('dist/test', name)),
  ).sort();
  const modules = new Map<string, Module>();
  return files.map((path) => {
    const onDemand = collectReachable(modules, root, path, true);
    const hash = createHash('sha256');
    for (const file of [...onDemand].sort()) hash.update(modules.get(file)?.hash ?? '');
    const imports = new Set([...collectReachable(modules, root, path, false)].map(toSource));
    return { path, imports, hash: hash.digest('hex').slice(0, 16) };
  });
}

const toSource = (path: string): string => path.replace(/^dist\//, '').replace(/\.js$/, '.ts');

interface Module {
  readonly hash: string;
  readonly imports: readonly string[];
  readonly onDemand: readonly string[];
}

function collectReachable(
  modules: Map<string, Module>,
  root: string,
  path: string,
  withOnDemand: boolean,
): Set<string> {
  const found = new Set<string>();
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const module = modules.get(next) ?? readModule(root, next);
    modules.set(next, module);
    open.push(...module.imports, ...(withOnDemand ? module.onDemand : []));
  }
  return found;
}

const STATIC = /^(?:(?:import|export)\b[^;'"]*?\bfrom|import)\s*['"](\.[^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"](\.[^'"]+)['"]/g;

function readModule(root: string, path: string): Module {
  const text = readFileSync(join(root, path), 'utf8');
  const resolveAll = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)]
      .map(([, specifier = '']) => relative(root, resolve(root, dirname(path), specifier)))
      .filter((file) => existsSync(join(root, file)));
  return {
    hash: createHash('sha256').update(text).digest('hex'),
    imports: resolveAll(STATIC),
    onDemand: resolveAll(DYNAMIC),
  };
}
