/** `lintel import`: writes models of the tables of a database, and says what models cannot. */
import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { FoundDifference, FoundTables } from '../../contract/found-tables.js';
import type { ModelTable } from '../../contract/model.js';
import type { ConfiguredPlugin } from '../../language/analysis/config.js';
import type { Registry } from '../../language/analysis/registry.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import { attributeFailure } from '../../language/project/plugin-failures.js';
import { resolveOptions } from '../../language/project/plugin-selection.js';
import { loadDefinitions, type Project } from '../../language/project/project.js';
import { findNearest } from '../../language/source/suggest.js';
import { createPaint } from '../colors.js';
import { createNewFile } from '../files.js';
import { formatMigration } from '../migrate.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject, UNTRUSTED } from '../trust.js';
import { chooseModels, type KnownModel } from './choose-models.js';
import { writeModel } from './model-text.js';

const FORMATS = ['pretty', 'json'];
const MAIN = 'main';

/** Without definitions of its own, a project may still have models of other connections. */
interface ProjectModels {
  readonly tables: readonly ModelTable[];
  readonly files: ReadonlyMap<string, string>;
}

export async function runImport(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { format = 'pretty', connection = MAIN } = options;
  const printUsageError = (text: string): number => {
    terminal.stderr.write(`${text}\n`);
    return 2;
  };
  if (!FORMATS.includes(format)) return printUsageError(`--format takes ${FORMATS.join(', ')}; not "${format}".`);
  const project = await loadTrustedProject('import', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const plugin = findConnection(project, connection, options.url);
  if (typeof plugin === 'string') return printUsageError(plugin);
  const models = await readModels(project, connection);
  const found = await readDatabase(project, plugin, models.tables);
  const names = options.tables?.split(',').map((name) => name.trim()) ?? null;
  const all = found.tables.map(({ table }) => table.table);
  const unknown = names?.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    const near = findNearest(unknown, all);
    const reason = found.differences.find(({ table, column }) => table === unknown && column === null)?.message;
    const hint = reason !== undefined ? ` (${reason})` : near === undefined ? '' : ` Did you mean "${near}"?`;
    return printUsageError(`The database has no table "${unknown}" that a model can have.${hint}`);
  }
  const { written, differences, kept } = await writeModels(project, found, { names, models, options });
  const isAmong = (table: string): boolean => names === null || names.includes(table);
  const isNew = new Set(written.map(({ table }) => table));
  const isLeft = (table: string): boolean => !all.includes(table) || isNew.has(table);
  const listed = [...found.differences.filter(({ table }) => isLeft(table)), ...differences].filter(({ table }) =>
    isAmong(table),
  );
  const outline = {
    steps: found.outline.steps.filter(({ table }) => kept.has(table)),
    warnings: found.outline.warnings.filter(({ table }) => kept.has(table)),
  };
  const result = { written, differences: listed, outline, kept: [...kept.values()] };
  terminal.stdout.write(
    format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : formatResult(result, options.dryRun, terminal),
  );
  return 0;
}

/** The kind of plugins behind `connections`. */
const findConnectionKind = (registry: Registry): string => registry.listKinds('config.connections')[0]?.kind ?? '';

/** The connection of the config, or one for an address; a message if there is none. */
function findConnection(
  { config, registry, env }: Project,
  instance: string,
  url: string | undefined,
): Pick<ConfiguredPlugin, 'kind' | 'name' | 'instance' | 'options'> | string {
  const kind = findConnectionKind(registry);
  const connections = (config?.chosen ?? []).filter((one) => one.kind === kind);
  const configured = connections.find((one) => one.instance === instance);
  if (url === undefined) {
    const near = findNearest(
      instance,
      connections.map((one) => one.instance),
    );
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    return configured ?? `The config has no connection "${instance}".${hint}`;
  }
  const scheme = String(resolveOptions({ url }, env)['url']).split('://', 1)[0] ?? '';
  const listSchemes = (name: string): readonly string[] => registry.plugin(kind, name)?.facts?.schemes ?? [];
  const name = registry.names(kind).find((one) => listSchemes(one).includes(scheme));
  if (name !== undefined) return { kind, name, instance, options: { url } };
  const known = registry.names(kind).flatMap(listSchemes);
  return `--url takes an address that begins with ${known.map((one) => `${one}://`).join(', ')}.`;
}

async function readModels(project: Project, instance: string): Promise<ProjectModels> {
  if (project.config === null) return { tables: [], files: new Map() };
  const { analysis } = await loadDefinitions(project, project.config);
  const tables = [...compileTables(analysis.models, project.registry).values()].filter(({ stores }) =>
    stores.some((place) => place.kind === findConnectionKind(project.registry) && place.instance === instance),
  );
  return { tables, files: new Map(analysis.models.map(({ name, definition }) => [name, definition.doc.file])) };
}

async function readDatabase(
  project: Project,
  { kind, name, instance, options }: Pick<ConfiguredPlugin, 'kind' | 'name' | 'instance' | 'options'>,
  models: readonly ModelTable[],
): Promise<FoundTables> {
  const id = `${kind}:${name}`;
  const runtime = await project.runtimes.get(id)?.();
  const given = resolveOptions(options, project.env);
  return attributeFailure(`${id}/${instance}`, 'read its tables', project.registry.codes, async () => {
    if (runtime?.readTables === undefined)
      throw new Error(`the dialect "${name}" has no server; set DATABASE_URL or MYSQL_URL, or use --url`);
    return runtime.readTables({ instance, options: given }, models);
  });
}

interface WriteInput {
  readonly names: readonly string[] | null;
  readonly models: ProjectModels;
  readonly options: CommandOptions;
}

interface WrittenModel {
  readonly table: string;
  readonly file: string;
  readonly text: string;
}

interface WriteResult {
  readonly written: readonly WrittenModel[];
  readonly differences: readonly FoundDifference[];
  /** By table: the files of models that stay as they are. */
  readonly kept: ReadonlyMap<string, string>;
}

async function writeModels(
  project: Project,
  { tables }: FoundTables,
  { names, models, options: { force, dryRun, out, connection = MAIN } }: WriteInput,
): Promise<WriteResult> {
  const folder = out ?? findModelFolder(project);
  const createFileName = (model: string): string => join(folder, `${model}.model.json`);
  const known: KnownModel[] = models.tables.map(({ model, table }) => ({
    ...{ model, table },
    file: models.files.get(model) ?? '',
  }));
  const isOwnFile = ({ model, file }: KnownModel): boolean =>
    resolve(project.cwd, file) === resolve(project.folder, createFileName(model));
  const { chosen, differences } = chooseModels({
    ...{ tables, names, known },
    connection: connection === MAIN ? null : connection,
    replaced: (one) => force && isOwnFile(one),
  });
  const byTable = new Map([...known, ...chosen.map(({ table }) => table)].map(({ table, model }) => [table, model]));
  const written: WrittenModel[] = [];
  const refused: FoundDifference[] = [];
  for (const found of chosen) {
    const { table, model } = found.table;
    const file = createFileName(model);
    const text = writeModel({
      ...{ found, registry: project.registry, connection: connection === MAIN ? null : connection },
      modelOf: (name) => byTable.get(name) ?? name,
    });
    if (
      dryRun ||
      (await createModelFile(project.folder, file, text, force && known.some((one) => one.table === table)))
    )
      written.push({ table, file, text });
    else refused.push({ table, column: null, message: `no model: there is a file ${file} already` });
  }
  const isWritten = new Set(written.map(({ table }) => table));
  const isWanted = ({ table }: KnownModel): boolean => names === null || names.includes(table);
  const kept = known.filter((one) => isWanted(one) && !isWritten.has(one.table));
  return {
    written,
    differences: [...differences, ...refused],
    kept: new Map(kept.map(({ table, file }) => [table, relative(project.folder, resolve(project.cwd, file))])),
  };
}

async function createModelFile(folder: string, file: string, text: string, replaces: boolean): Promise<boolean> {
  if (replaces) await rm(join(folder, file), { force: true });
  return createNewFile(folder, file, text);
}

/** Where the first pattern of the config finds files. */
function findModelFolder({ config }: Project): string {
  const [pattern = 'definitions/**/*.json'] = config?.definitions ?? [];
  const segments = pattern.split('/').slice(0, -1);
  const wild = segments.findIndex((segment) => /[*?{[]/.test(segment));
  const fixed = wild === -1 ? segments : segments.slice(0, wild);
  return wild === -1 ? fixed.join('/') || '.' : [...fixed, 'models'].join('/');
}

interface ImportResult {
  readonly written: readonly WrittenModel[];
  readonly differences: readonly FoundDifference[];
  readonly outline: FoundTables['outline'];
  readonly kept: readonly string[];
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

function formatResult(
  { written, differences, outline, kept }: ImportResult,
  dryRun: boolean,
  terminal: Terminal,
): string {
  const paint = createPaint(terminal);
  const files = written.map(({ file, text }) => (dryRun ? `${paint('bold', file)}\n${text}` : `wrote ${file}`));
  const tables = [...new Set(differences.map(({ table }) => table))].sort();
  const listed = tables.map((name) =>
    [
      paint('bold', name),
      ...differences
        .filter(({ table }) => table === name)
        .map(({ column, message }) => `  ${paint('warning', '!')} ${column === null ? '' : `${column}: `}${message}`),
    ].join('\n'),
  );
  const compared =
    kept.length === 0
      ? []
      : [`${count(kept.length, 'model')} compared with the database:\n${formatMigration(outline, paint)}`];
  const wrote = `${count(written.length, 'model')} ${dryRun ? 'to write' : 'written'}`;
  const summary = `${wrote}, ${count(differences.length, 'difference')} that models do not say`;
  return `${[files.join('\n'), listed.join('\n'), ...compared, summary].filter((part) => part !== '').join('\n\n')}\n`;
}
