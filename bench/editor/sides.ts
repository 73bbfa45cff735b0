/** Bundles the two language servers, and writes the projects in which they are measured. */
import { build } from 'esbuild';
import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getServerProcess } from '../../extension/src/server-process.js';
import { DATA_FILES } from '../../extension/tools/built-in.js';
import { bundle } from '../../extension/tools/bundle.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { createSchema } from '../../language/export/schema-files.js';
import { specs } from '../../plugins/index.spec.js';
import { kinds } from '../../plugins/index.kinds.js';
import type { LargeProject } from '../../test/support/large-files.js';
import { SAMPLE_ENV } from '../../test/support/project.js';
import { root } from '../targets.js';

export interface Side {
  readonly name: 'lintel' | 'json';
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Sides {
  /** Lintel is last; ratios are relative to the first. */
  readonly all: readonly Side[];
  readonly kilobytes: number;
  /** Packages in the bundle of Lintel. */
  readonly packages: readonly string[];
}

export async function makeSides(folder: string): Promise<Sides> {
  const home = join(folder, 'servers');
  await mkdir(home, { recursive: true });
  const { server } = await bundle({ folder: join(home, 'lintel') });
  const json = join(home, 'json-server.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/editor/json-server.ts'],
    outfile: json,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  const schema = join(home, 'definition.schema.json');
  await writeFile(schema, JSON.stringify(createSchema('definition', buildRegistry(kinds, specs))));
  const ours = join(home, 'lintel/server.js');
  const files = ['server.js', 'built-in.js', 'language.js', 'yup.js', ...DATA_FILES];
  const parts = files.map((file) => join(home, 'lintel', file));
  const sizes = await Promise.all(parts.map((part) => stat(part)));
  const packages = Object.keys(server.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  // Lintel with the flags of the extension; both use the compile cache.
  const { execArgv, env } = getServerProcess(join(folder, 'compiled'));
  const node = process.execPath;
  return {
    all: [
      { name: 'json', command: [node, json, schema, '--stdio'], env },
      { name: 'lintel', command: [node, ...execArgv, ours, '--stdio'], env },
    ],
    kilobytes: sizes.reduce((sum, { size }) => sum + size, 0) / 1024,
    packages: [...new Set(packages)].sort(),
  };
}

export async function writeProject(folder: string, { files }: Pick<LargeProject, 'files'>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Writes the sample project of the distribution. */
export async function writeSample(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(root, 'definitions'), join(folder, 'definitions'), { recursive: true });
  await cp(join(root, 'lintel.config.json'), join(folder, 'lintel.config.json'));
  const env = Object.entries(SAMPLE_ENV).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, '.env'), env.join(''));
}
