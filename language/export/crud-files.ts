/** The files for the resources and tests of a table. Pure: a plugin writes their content. */
import type { Json, JsonObject } from '../../contract/json.js';
import type { ModelTable } from '../../contract/model.js';
import type { Analysis } from '../analysis/analysis.js';
import type { ConfiguredPlugin } from '../analysis/config.js';
import type { Registry } from '../analysis/registry.js';
import { findNearest } from '../source/suggest.js';
import { formatJson } from './json-text.js';

interface CrudContent {
  readonly resources: readonly JsonObject[];
  readonly createTests: () => Json;
}

/** What the plugin reads. */
interface CrudRequest {
  readonly resources: Analysis['resources'];
  readonly table: ModelTable;
  readonly tables: readonly ModelTable[];
  readonly wanted: string | undefined;
  readonly base: string;
  readonly reserved: ReadonlySet<string>;
}

export interface CrudFilesInput<T extends CrudContent> {
  readonly analysis: Pick<Analysis, 'models' | 'resources'>;
  readonly registry: Registry;
  readonly chosen: readonly ConfiguredPlugin[];
  readonly table: ModelTable;
  /** All tables of the project. */
  readonly tables: readonly ModelTable[];
  /** The column of the owner; undefined: the one that the tables and tokens show. */
  readonly owner?: string | undefined;
  readonly createCrud: (request: CrudRequest) => T | string;
}

export interface CrudFiles<T> {
  readonly content: T;
  readonly paths: readonly string[];
  /** Texts by path. */
  readonly writeFiles: () => ReadonlyMap<string, string>;
}

/** A message if the table or the owner does not fit. */
export function createCrudFiles<T extends CrudContent>(input: CrudFilesInput<T>): CrudFiles<T> | string {
  const { analysis, registry, chosen, table, tables, owner } = input;
  const kind = registry.listKinds('config.connections')[0]?.kind ?? '';
  const [hidden] = analysis.models.find(({ name }) => name === table.model)?.secrets ?? [];
  const problem =
    hidden === undefined
      ? explainUnfit(table, kind, owner)
      : `"${hidden}" of the model "${table.model}" is hashed or encrypted where it is written, and add crud would write it as it is. Write these resources by hand.`;
  if (problem !== null) return problem;
  const instance = table.stores.find((one) => one.kind === kind)?.instance;
  const plugin = chosen.find((one) => one.kind === kind && one.instance === instance);
  const reserved = new Set(registry.plugin(kind, plugin?.name ?? '')?.facts?.reserved);
  const base = table.table.replace(/^_+/, '').toLowerCase();
  const { resources } = analysis;
  const content = input.createCrud({ resources, table, tables, wanted: owner, base, reserved });
  if (typeof content === 'string') return content;
  const taken = resources.find(({ id }) => content.resources.some((one) => one['id'] === id));
  if (taken !== undefined) return `There is a resource "${taken.id}" already; nothing was written.`;
  const [resourceFile, testFile] = nameFiles(analysis, table, base);
  return {
    content,
    paths: [resourceFile, testFile],
    writeFiles: () =>
      new Map([
        [resourceFile, `${formatJson(content.resources)}\n`],
        [testFile, `${formatJson(content.createTests())}\n`],
      ]),
  };
}

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

/** Next to the models of the project. */
function nameFiles(
  { models }: Pick<Analysis, 'models'>,
  { model }: ModelTable,
  base: string,
): readonly [resources: string, tests: string] {
  const file = models.find(({ name }) => name === model)?.definition.doc.file ?? '';
  const folder = file.replace(/[^/]*$/, '').replace(/(^|\/)models\/$/, '$1');
  return [`${folder}resources/${base}.resource.json`, `${folder}tests/${base}.test.json`];
}
