/** What can be written, as JSON Schema; documentation of plugins and codes; what a project has. */
import { pluginId } from '../../contract/plugin.js';
import { createSchemaWriter } from '../../language/export/json-schema.js';
import { findNearest } from '../../language/source/suggest.js';
import type { Registry } from '../../language/analysis/registry.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import { createRequestShape } from '../../language/export/openapi/request.js';
import { createPluginSection } from '../../language/export/reference-kind.js';
import { loadDefinitions, type Project } from '../../language/project/project.js';
import { loadSqlParser } from '../../plugins/queries/sql/parser/load-parser.js';
import { rangeAt } from '../../language/source/document.js';

export function describeSchemas(registry: Registry, kind: string | undefined, plugin: string | undefined): string {
  if (kind === undefined) return formatJson(listKinds(registry));
  const found = registry.kind(kind);
  if (found === undefined) return formatUnknown('kind', kind, registry.kinds.keys());
  const names = registry.names(kind);
  if (plugin === undefined)
    return formatJson({
      kind,
      summary: found.summary,
      slots: found.slots,
      select: found.select,
      plugins: Object.fromEntries(names.map((name) => [name, registry.plugin(kind, name)?.summary ?? ''])),
    });
  const spec = registry.plugin(kind, plugin);
  if (spec === undefined) return formatUnknown(`plugin of ${kind}`, plugin, names);
  const writer = createSchemaWriter(registry);
  const slots = found.slots.flatMap((slot) => {
    const node = registry.schema(pluginId(spec), slot);
    return node === undefined ? [] : [[slot, writer.ref(node, slot)] as const];
  });
  return formatJson({ kind, plugin, slots: Object.fromEntries(slots), definitions: writer.definitions });
}

const listKinds = (registry: Registry) =>
  [...registry.kinds.values()].map(({ kind, summary, slots }) => ({
    kind,
    summary,
    slots,
    plugins: registry.names(kind),
  }));

/** With the name that is most similar. */
function formatUnknown(what: string, name: string, known: Iterable<string>): string {
  const all = [...known];
  const near = findNearest(name, all);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `There is no ${what} "${name}".${hint} There is: ${all.slice(0, 100).join(', ') || 'none'}.`;
}

export function describeCode(registry: Registry, code: string): string {
  const entry = registry.codes[code];
  if (entry === undefined) return formatUnknown('code', code, Object.keys(registry.codes));
  const { severity, status, title, message, help } = entry;
  return `${code} (${severity ?? status ?? ''}): ${title}\n\n${message}\n\n${help}`;
}

export function describePlugin(registry: Registry, kind: string | undefined, name: string): string {
  const kinds = kind === undefined ? [...registry.kinds.keys()] : [kind];
  const found = kinds.flatMap((one) => {
    const spec = registry.plugin(one, name);
    const of = registry.kind(one);
    return spec === undefined || of === undefined ? [] : [{ of, spec }];
  });
  const context = { registry, link: (other: string) => other };
  if (found.length === 0)
    return formatUnknown(
      'plugin',
      name,
      kinds.flatMap((one) => registry.names(one)),
    );
  return found.map(({ of, spec }) => createPluginSection(context, of, spec)).join('\n\n');
}

export async function describeProject(
  project: Project,
  resource: string | undefined,
  model: string | undefined,
): Promise<string> {
  const { config, registry } = project;
  if (config === null) return 'The config has errors; see the tool check.';
  const { analysis } = await loadDefinitions(project, config);
  if (model !== undefined) {
    const found = analysis.models.find(({ name }) => name === model || name === `_${model}`);
    if (found === undefined)
      return formatUnknown(
        'model',
        model,
        analysis.models.map(({ name }) => name),
      );
    const fields = Object.fromEntries(found.fields.map(({ name, value }) => [name, value]));
    return formatJson({ model: found.name, file: found.definition.doc.file, fields, uniques: found.uniques });
  }
  if (resource === undefined)
    return formatJson({
      resources: analysis.resources.map(({ id, path, sound }) => ({ id, path, ...(!sound && { invalid: true }) })),
      models: analysis.models.map(({ name }) => name),
    });
  const path = resource.replace(/^\//, '');
  const found = analysis.resources.find((one) => one.id === resource || one.path === path);
  if (found === undefined)
    return formatUnknown(
      'resource',
      resource,
      analysis.resources.map(({ id }) => id),
    );
  const info = { title: '', version: '' };
  const request = createRequestShape({ analysis, registry, config, info, sql: await loadSqlParser() }, found);
  return formatJson({ ...findPlace(found), request, actionables: found.actions.map(describeAction) });
}

function findPlace({ definition: { doc, node } }: ResourceModel): { file: string; line: number } {
  return { file: doc.file, line: rangeAt(doc, node.start, node.end).start.line + 1 };
}

const describeAction = ({ id, mode, models, depends, timing, answers }: ResourceModel['actions'][number]) => ({
  id,
  mode,
  models,
  depends,
  answers,
  ...(timing.later && { later: true }),
  ...(timing.scheduled && { scheduled: true }),
});

const formatJson = (json: unknown): string => JSON.stringify(json, null, 1);
