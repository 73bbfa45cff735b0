/** `lintel init`: copies `templates/project` into a folder and fills `.env`. Never changes existing files. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { BootError } from '../contract/boot-error.js';
import { DEFAULTS } from '../language/analysis/config-schema.js';
import { listSchemaFiles } from '../language/export/schema-files.js';
import { findPackageFolder, readPackageFile } from '../language/project/package-folder.js';
import { fillProjectTemplate, readProjectTemplate } from '../language/project/project-template.js';
import { loadPackages } from '../plugins/distribution.js';
import type { CommandOptions } from './options.js';
import { formatEnvFileResult } from './env.js';
import { fillEnvFile } from './env-file.js';
import { createFileError, createNewFile } from './files.js';
import type { Terminal } from './terminal.js';

const PACKAGE = findPackageFolder(import.meta.url);

export async function runInit({ arguments: given, force }: CommandOptions, terminal: Terminal): Promise<number> {
  const { cwd, stdout, stderr } = terminal;
  const [name] = given;
  if (name === undefined) {
    stderr.write('Which folder? lintel init <folder>\n');
    return 2;
  }
  const folder = resolve(cwd, name);
  if (!force && (await hasFiles(folder))) throw new BootError('CLI_NOT_EMPTY', { folder: name });
  const words = { name: toPackageName(folder), dependency: resolveDependency(folder, readPackageFile().version) };
  const { registry } = await loadPackages('.', DEFAULTS.plugins, []);
  const template = [...(await readProjectTemplate()), ...listSchemaFiles('.vscode', 'all', registry)];
  const files = fillProjectTemplate(template, words);
  const written: string[] = [];
  const kept: string[] = [];
  for (const [file, text] of files) ((await createNewFile(folder, file, text)) ? written : kept).push(file);
  // Without the shell's environment, so that `.env` contains every variable.
  const filled = await fillEnvFile(folder, {});
  stdout.write(report(written, kept, formatEnvFileResult(filled)));
  const steps = [...(folder === cwd ? [] : [`cd ${relative(cwd, folder)}`]), 'npm install'];
  stdout.write(`\nnext:\n${[...steps, 'npm run dev'].map((step) => `  ${step}`).join('\n')}\n`);
  return 0;
}

function report(written: readonly string[], kept: readonly string[], env: string): string {
  const lines = [...written.map((file) => `  + ${file}`), ...kept.map((file) => `    ${file} (exists)`), `  ${env}`];
  return `${lines.join('\n')}\n`;
}

/** A folder that contains only `.git` counts as empty. */
async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((entry) => entry !== '.git');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    throw createFileError(folder, code === 'ENOTDIR' ? 'it is not a folder' : 'it cannot be read', error);
  }
}

/** The exact version, or the archive or checkout of this Lintel. */
function resolveDependency(folder: string, version: string): string {
  const modules = dirname(resolve(PACKAGE));
  const source = basename(modules) === 'node_modules' ? findArchive(modules) : PACKAGE;
  return source === null ? version : `file:${relative(folder, source).split(sep).join('/')}`;
}

/** npm notes where packages came from, relative to the folder that has them. */
function findArchive(modules: string): string | null {
  try {
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
    };
    const [, path] = /^file:(.+)$/.exec(packages[`node_modules/${basename(PACKAGE)}`]?.resolved ?? '') ?? [];
    return path === undefined ? null : resolve(dirname(modules), path);
  } catch {
    return null;
  }
}

const toPackageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '') || 'backend';
