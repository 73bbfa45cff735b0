/** A generated client and a program that uses it, compiled as strictly as TypeScript can by a process of its own. */
import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './project.js';

const STRICT = {
  skipLibCheck: true,
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
};

/** The libraries of a program: those of a browser, or those of Node alone. */
export type Platform = 'browser' | 'node';

const LIBRARIES: Readonly<Record<Platform, object>> = {
  browser: { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] },
  node: { lib: ['ES2022'], types: ['node'] },
};

/** What the compiler says; empty if nothing. Writes JavaScript into `out` of the folder. */
export async function compileStrictly(
  folder: string,
  files: Readonly<Record<string, string>>,
  platform: Platform,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const options = { compilerOptions: { ...STRICT, ...LIBRARIES[platform], outDir: 'out' }, files: Object.keys(files) };
  const texts = {
    ...files,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify(options),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(ROOT, 'node_modules', 'tsc-native', 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return `${stdout}${stderr}`;
}
