/** `lintel docs`: writes the reference of the project's plugins as Markdown. */
import { readdir, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { BootError } from '../contract/boot-error.js';
import { MARKER, createReferencePages } from '../language/export/reference.js';
import { COMMANDS, COMMON_OPTIONS } from './commands.js';
import type { CommandOptions } from './options.js';
import { createFileError, readText, writeText } from './files.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

const FOLDER = 'docs/reference';

export async function runDocs(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { out = FOLDER, check } = options;
  const { cwd, stdout } = terminal;
  const project = await loadTrustedProject('docs', 'manifests', options, terminal);
  if (project === null) return UNTRUSTED;
  const { registry } = project;
  const pages = createReferencePages({ registry, commands: COMMANDS, commonOptions: COMMON_OPTIONS });
  const folder = resolve(cwd, out);
  const stale = await findStalePages(folder, pages);
  if (check) {
    if (stale.length > 0) throw new BootError('CLI_STALE', { what: `${out}/${stale.join(', ')}`, command: 'docs' });
    stdout.write(`${out}: ${pages.size} pages, all up to date\n`);
    return 0;
  }
  for (const name of stale) {
    const text = pages.get(name);
    if (text === undefined) await rm(join(folder, name));
    else await writeText(join(folder, name), text);
    stdout.write(`${text === undefined ? 'removed' : 'wrote'} ${out}/${name}\n`);
  }
  stdout.write(`${out}: ${pages.size} pages, ${stale.length} changed\n`);
  return 0;
}

/** Missing or different, or no longer generated. */
async function findStalePages(folder: string, pages: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of pages) if ((await readText(join(folder, name))) !== text) stale.push(name);
  for (const name of await listPages(folder)) {
    if (!pages.has(name) && (await readText(join(folder, name)))?.startsWith(MARKER) === true) stale.push(name);
  }
  return stale;
}

async function listPages(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names.filter((name) => name.endsWith('.md')).map((name) => name.split(sep).join('/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw createFileError(folder, 'it cannot be read', error);
  }
}
