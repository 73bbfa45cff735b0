/** `lintel add crud <model>`: writes resources of a table, and their tests. */
import { dirname, join } from 'node:path';
import type { ModelTable } from '../../contract/model.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import { listAliases } from '../../language/analysis/tables.js';
import { formatJson } from '../../language/export/json-text.js';
import { loadDefinitions, type LoadedDefinitions, type Project } from '../../language/project/project.js';
import { findNearest } from '../../language/source/suggest.js';
import { createNewFile, readText } from '../files.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject, UNTRUSTED } from '../trust.js';
import { loadCrud, type CrudFiles } from '../../plugins/distribution.js';

export async function runAdd(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { arguments: words, dryRun } = options;
  const { stdout, stderr } = terminal;
  const [what, wanted] = words;
  const printRejection = (text: string, code: number): number => {
    stderr.write(`${text}\n`);
    return code;
  };
  if (what !== 'crud' || wanted === undefined) return printRejection('What? lintel add crud <model>', 2);
  const project = await loadTrustedProject('add', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  if (project.config === null) return printRejection('The config has errors; see `lintel check`.', 1);
  const loaded = await loadDefinitions(project, project.config);
  const tables = [...compileTables(loaded.analysis.models, project.registry).values()];
  const table = tables.find(({ model }) => listAliases(model).includes(wanted.toLowerCase()) || model === wanted);
  if (table === undefined) return printRejection(explainUnknown(wanted, loaded, tables), 1);
  const kind = findConnectionKind(project);
  const problem = explainUnfit(table, kind, options.owner);
  if (problem !== null) return printRejection(problem, 1);
  const base = table.table.replace(/^_+/, '').toLowerCase();
  const { resources } = loaded.analysis;
  const { createCrud } = await loadCrud();
  const reserved = listReserved(project, kind, table);
  const crud = createCrud({ resources, table, tables, wanted: options.owner, base, reserved });
  if (typeof crud === 'string') return printRejection(crud, 1);
  const taken = resources.find(({ id }) => crud.resources.some((one) => one['id'] === id));
  if (taken !== undefined) return printRejection(`There is a resource "${taken.id}" already; nothing was written.`, 1);
  const files = writeFiles(loaded, table, base, crud);
  if (dryRun) {
    for (const [file, text] of files) stdout.write(`${file}\n${text}\n`);
    return 0;
  }
  for (const [file] of files)
    if ((await readText(join(project.folder, file))) !== null)
      return printRejection(`There is a file ${file} already; nothing was written.`, 1);
  for (const [file, text] of files) {
    await createNewFile(project.folder, file, text);
    stdout.write(`wrote ${file}\n`);
  }
  stdout.write(`${describeAccess(crud)}\n`);
  return 0;
}

function explainUnknown(wanted: string, { analysis }: LoadedDefinitions, tables: readonly ModelTable[]): string {
  if (analysis.models.some(({ name }) => listAliases(name).includes(wanted.toLowerCase())))
    return `The model "${wanted}" has errors; see \`lintel check\`.`;
  const near = findNearest(
    wanted,
    tables.flatMap(({ model }) => listAliases(model)),
  );
  return `There is no model "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

/** The kind of plugins behind `connections`. */
const findConnectionKind = ({ registry }: Project): string => registry.listKinds('config.connections')[0]?.kind ?? '';

function explainUnfit({ model, columns, stores }: ModelTable, kind: string, owner: string | undefined): string | null {
  if (!stores.some((place) => place.kind === kind))
    return `The model "${model}" is no table of a SQL connection; add crud writes SQL statements.`;
  if (!columns.some(({ primaryKey }) => primaryKey))
    return `The model "${model}" has no primary key, so no request can name a row.`;
  const names = columns.map(({ name }) => name);
  if (owner === undefined || names.includes(owner)) return null;
  const near = findNearest(owner, names);
  return `The model "${model}" has no field "${owner}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

/** Words that the database of the table reserves. */
function listReserved({ config, registry }: Project, kind: string, { stores }: ModelTable): ReadonlySet<string> {
  const place = stores.find((one) => one.kind === kind);
  const plugin = config?.chosen.find((one) => one.kind === kind && one.instance === place?.instance);
  return new Set(registry.plugin(kind, plugin?.name ?? '')?.facts?.reserved);
}

/** Next to the models of the project: `definitions/models` has `definitions/resources` and `definitions/tests`. */
function writeFiles(
  { analysis }: LoadedDefinitions,
  { model }: ModelTable,
  base: string,
  { resources, tests }: CrudFiles,
): [string, string][] {
  const file = analysis.models.find(({ name }) => name === model)?.definition.doc.file ?? '';
  const folder = dirname(file).replace(/(^|\/)models$/, '');
  return [
    [join(folder, 'resources', `${base}.resource.json`), `${formatJson(resources)}\n`],
    [join(folder, 'tests', `${base}.test.json`), `${formatJson(tests)}\n`],
  ];
}

const describeAccess = ({ access: { guard, owner } }: CrudFiles): string =>
  guard === null
    ? 'No resource of the project has a guard: everybody may call these.'
    : owner === null
      ? 'Every caller with a token reaches every row; --owner COLUMN limits them to their own.'
      : `Callers reach the rows whose "${owner.column}" is their claim "${owner.claim}".`;
