/** `lintel add crud <model>`: writes resources of a table, and their tests, for the project to own. */
import { dirname, join } from 'node:path';
import type { ModelTable } from '../../contract/model.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import { listAliases } from '../../language/analysis/tables.js';
import { sortColumns, type RowOwner } from '../../language/export/crud/columns.js';
import { createResources, nameResource, type CrudGuard } from '../../language/export/crud/resources.js';
import { createTests } from '../../language/export/crud/tests.js';
import { formatJson } from '../../language/export/json-text.js';
import { loadDefinitions, type LoadedDefinitions, type Project } from '../../language/project/project.js';
import { findNearest } from '../../language/source/suggest.js';
import { createNewFile, readText } from '../files.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject, UNTRUSTED } from '../trust.js';
import { findGuard, limitClaims, listOwners } from './guards.js';

const SQL = 'dialect';

interface Access {
  readonly guard: CrudGuard | null;
  readonly owner: RowOwner | null;
}

export async function runAdd(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { arguments: words, dryRun } = options;
  const { stdout, stderr } = terminal;
  const [what, wanted] = words;
  const refuse = (text: string, code: number): number => {
    stderr.write(`${text}\n`);
    return code;
  };
  if (what !== 'crud' || wanted === undefined) return refuse('What? lintel add crud <model>', 2);
  const project = await loadTrustedProject('add', 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  if (project.config === null) return refuse('The config has errors; see `lintel check`.', 1);
  const loaded = await loadDefinitions(project, project.config);
  const tables = [...compileTables(loaded.analysis.models, project.registry).values()];
  const table = tables.find(({ model }) => listAliases(model).includes(wanted.toLowerCase()) || model === wanted);
  if (table === undefined) return refuse(explainUnknown(wanted, loaded, tables), 1);
  const problem = explainUnfit(table);
  if (problem !== null) return refuse(problem, 1);
  const access = findAccess(loaded, table, tables, options.owner);
  if (typeof access === 'string') return refuse(access, 1);
  const base = table.table.replace(/^_+/, '').toLowerCase();
  const taken = ['list', 'read', 'create', 'update', 'delete']
    .map((work) => nameResource(base, work))
    .find((id) => loaded.analysis.resources.some((one) => one.id === id));
  if (taken !== undefined) return refuse(`There is a resource "${taken}" already; nothing was written.`, 1);
  const files = writeFiles(project, loaded, { table, tables, base, access });
  if (dryRun) {
    for (const [file, text] of files) stdout.write(`${file}\n${text}\n`);
    return 0;
  }
  for (const [file] of files)
    if ((await readText(join(project.folder, file))) !== null)
      return refuse(`There is a file ${file} already; nothing was written.`, 1);
  for (const [file, text] of files) {
    await createNewFile(project.folder, file, text);
    stdout.write(`wrote ${file}\n`);
  }
  stdout.write(`${describeAccess(access)}\n`);
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

function explainUnfit({ model, columns, stores }: ModelTable): string | null {
  if (!stores.some(({ kind }) => kind === SQL))
    return `The model "${model}" is no table of a SQL connection; add crud writes SQL statements.`;
  return columns.some(({ primaryKey }) => primaryKey)
    ? null
    : `The model "${model}" has no primary key, so no request can name a row.`;
}

/** Returns a message if the named owner is not possible. */
function findAccess(
  { analysis }: LoadedDefinitions,
  table: ModelTable,
  tables: readonly ModelTable[],
  wanted: string | undefined,
): Access | string {
  const guard = findGuard(analysis);
  const owners = guard === null ? [] : listOwners(analysis, table, tables);
  if (wanted === undefined) {
    const [owner = null, second] = owners;
    if (second !== undefined)
      return `Several columns refer to the signed-in user: ${owners.map(({ column }) => column).join(', ')}. Say which with --owner.`;
    return { guard: guard && limitClaims(guard, owner === null ? [] : [owner.claim]), owner };
  }
  const column = table.columns.find(({ name }) => name === wanted);
  if (column === undefined) {
    const near = findNearest(
      wanted,
      table.columns.map(({ name }) => name),
    );
    return `The model "${table.model}" has no field "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
  }
  if (guard === null)
    return 'An owner needs a signed-in user, and no resource has `protected` and `tokenize`: write one that issues tokens first.';
  const known = owners.find((one) => one.column === wanted)?.claim;
  const claim =
    known ?? [column.references?.column, column.name, 'id'].find((name) => guard.claims.includes(name ?? ''));
  if (claim === undefined)
    return `No claim of the project's tokens is that of "${wanted}": its resources read ${guard.claims.join(', ') || 'none'}.`;
  return { guard: limitClaims(guard, [claim]), owner: { column: wanted, claim } };
}

interface CrudFiles {
  readonly table: ModelTable;
  readonly tables: readonly ModelTable[];
  readonly base: string;
  readonly access: Access;
}

/** Next to the models of the project: `definitions/models` has `definitions/resources` and `definitions/tests`. */
function writeFiles(
  project: Project,
  { analysis }: LoadedDefinitions,
  { table, tables, base, access: { guard, owner } }: CrudFiles,
): [string, string][] {
  const file = analysis.models.find(({ name }) => name === table.model)?.definition.doc.file ?? '';
  const folder = dirname(file).replace(/(^|\/)models$/, '');
  const place = table.stores.find(({ kind }) => kind === SQL);
  const plugin = project.config?.chosen.find((one) => one.kind === SQL && one.instance === place?.instance);
  const words = project.registry.plugin(SQL, plugin?.name ?? '')?.facts?.['reserved'];
  const reserved = new Set(Array.isArray(words) ? words.map(String) : []);
  const input = { crud: sortColumns(table, owner), base, guard, reserved };
  return [
    [join(folder, 'resources', `${base}.resource.json`), `${formatJson(createResources(input))}\n`],
    [join(folder, 'tests', `${base}.test.json`), `${formatJson(createTests({ ...input, tables }))}\n`],
  ];
}

const describeAccess = ({ guard, owner }: Access): string =>
  guard === null
    ? 'No resource of the project has a guard: everybody may call these.'
    : owner === null
      ? 'Every caller with a token reaches every row; --owner COLUMN limits them to their own.'
      : `Callers reach the rows whose "${owner.column}" is their claim "${owner.claim}".`;
