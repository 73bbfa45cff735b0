/**
 * `lintel openapi` and `lintel client`: print the OpenAPI document, and a TypeScript client that is made from it. Opens no connections; the embedded database, where installed,
 * returns the types of statements.
 */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BootError } from '../contract/boot-error.js';
import { isObject, type Json, type JsonObject } from '../contract/json.js';
import { writeClient, type ClientParts } from '../language/export/client/client.js';
import { createOpenapi } from '../language/export/openapi/document.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { findPackageFolder } from '../language/project/package-folder.js';
import { loadSqlParser } from '../plugins/queries/sql/parser/load-parser.js';
import { bootProject } from './boot.js';
import type { CommandOptions } from './options.js';
import { readText, writeText } from './files.js';
import { showSkippedResources } from './skipped-resources.js';
import { createLog } from './log.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

export const runOpenapi = (options: CommandOptions, terminal: Terminal): Promise<number> =>
  exportInterface(options, terminal, {
    command: 'openapi',
    file: 'openapi.json',
    format: (document) => `${JSON.stringify(document, null, 2)}\n`,
  });

export const runClient = (options: CommandOptions, terminal: Terminal): Promise<number> =>
  exportInterface(options, terminal, {
    command: 'client',
    file: 'client.ts',
    format: async (document) => writeClient(document, await readClientParts()),
  });

/** What is the same in all clients. */
export async function readClientParts(): Promise<ClientParts> {
  const folder = join(findPackageFolder(import.meta.url), 'templates', 'client');
  const [http, socket] = await Promise.all(
    ['http.ts', 'socket.ts'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { http: http ?? '', socket: socket ?? '' };
}

interface ExportFormat {
  readonly command: string;
  /** The default of `--check`. */
  readonly file: string;
  readonly format: (document: JsonObject) => string | Promise<string>;
}

/** Prints, writes or compares a text that is made from the OpenAPI document. */
async function exportInterface(
  options: CommandOptions,
  terminal: Terminal,
  { command, file, format }: ExportFormat,
): Promise<number> {
  const { out, check } = options;
  const { cwd, stdout } = terminal;
  const log = await createLog(terminal);
  // stdout is for the text; skipped resources go to stderr.
  log.level = 'error';
  const project = await loadTrustedProject(command, 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const booted = await bootProject(terminal, project, { connect: false, statementChecks: 'scratch', log });
  if (booted === null) return 1;
  const { kernel } = booted;
  try {
    showSkippedResources(kernel, terminal);
    const text = await format(await describeKernel(kernel));
    if (check) return await checkCurrent(out ?? file, text, command, terminal);
    if (out === undefined) stdout.write(text);
    else {
      await writeText(resolve(cwd, out), text);
      stdout.write(`wrote ${out}\n`);
    }
    return 0;
  } finally {
    await kernel.close('done');
  }
}

async function checkCurrent(file: string, text: string, command: string, terminal: Terminal): Promise<number> {
  const { cwd, stdout } = terminal;
  if ((await readText(resolve(cwd, file))) !== text) throw new BootError('CLI_STALE', { what: file, command });
  stdout.write(`${file}: current\n`);
  return 0;
}

/** Of the current plans; its title is the name of the project's package. */
export async function describeKernel(kernel: Kernel): Promise<JsonObject> {
  const { project, config } = kernel;
  const plans = [...kernel.plans().byId.values()];
  const hasStatements = kernel.analysis().resources.some(({ definition }) => definition.finds.statements.length > 0);
  return createOpenapi({
    analysis: kernel.analysis(),
    registry: project.registry,
    config,
    info: await readPackageInfo(project.folder),
    describe: (statement) => kernel.describeStatement(statement),
    sql: hasStatements ? await loadSqlParser() : undefined,
    samples: new Map<string, Json>(plans.map(({ id, summary }) => [id, summary.sample])),
  });
}

async function readPackageInfo(folder: string): Promise<{ title: string; version: string }> {
  const text = await readText(join(folder, 'package.json'));
  const { name, version } = parsePackage(text);
  return {
    title: typeof name === 'string' && name !== '' ? name : basename(folder),
    version: typeof version === 'string' && version !== '' ? version : '0.0.0',
  };
}

function parsePackage(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text ?? '{}');
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}
