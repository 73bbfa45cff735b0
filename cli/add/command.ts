/** `lintel add crud <model>`: writes resources of a table, and their tests. */
import { join } from 'node:path';
import type { ModelTable } from '../../contract/model.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import { listAliases } from '../../language/analysis/tables.js';
import { createCrudFiles } from '../../language/export/crud-files.js';
import { loadDefinitions, type LoadedDefinitions } from '../../language/project/project.js';
import { findNearest } from '../../language/source/suggest.js';
import { createNewFile, readText } from '../files.js';
import type { CommandOptions } from '../options.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject, UNTRUSTED } from '../trust.js';
import { loadCrud, type Crud } from '../../plugins/distribution.js';

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
  const { createCrud } = await loadCrud();
  const { chosen } = project.config;
  const input = { analysis: loaded.analysis, registry: project.registry, chosen, table, tables };
  const made = createCrudFiles({ ...input, owner: options.owner, createCrud });
  if (typeof made === 'string') return printRejection(made, 1);
  const { content } = made;
  const files = made.writeFiles();
  if (dryRun) {
    for (const [file, text] of files) stdout.write(`${file}\n${text}\n`);
    return 0;
  }
  for (const file of files.keys())
    if ((await readText(join(project.folder, file))) !== null)
      return printRejection(`There is a file ${file} already; nothing was written.`, 1);
  for (const [file, text] of files) {
    await createNewFile(project.folder, file, text);
    stdout.write(`wrote ${file}\n`);
  }
  stdout.write(`${describeAccess(content)}\n`);
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

const describeAccess = ({ access: { guard, owner } }: Crud): string =>
  guard === null
    ? 'No resource of the project has a guard: everybody may call these.'
    : owner === null
      ? 'Every caller with a token reaches every row; --owner COLUMN limits them to their own.'
      : `Callers reach the rows whose "${owner.column}" is their claim "${owner.claim}".`;
