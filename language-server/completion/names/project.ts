/** Name sources of the project: resources, models and fields, connections, headers, files. */
import { Slot } from '../../../contract/slot.js';
import { memoize } from '../../../language/analysis/memoize.js';
import type { DataModel, Definition } from '../../../language/analysis/model.js';
import { findMember } from '../../../language/source/tree.js';
import { safeMarkdown } from '../../safe-markdown.js';
import {
  listDefinitions,
  getDefinitionId,
  formatShort,
  getMemberText,
  uniqueNames,
  type Name,
  type NameSourceInput,
  type NameSource,
} from './name-source.js';
import { ANSWER_HEADERS, REQUEST_HEADERS } from './header-names.js';
import { findModelByAlias } from '../../model-names.js';

export const suggestResources: NameSource = (place) =>
  listDefinitions(place).flatMap((definition) =>
    definition === place.site.definition ? [] : (toResourceName(definition) ?? []),
  );

const toResourceName = memoize((definition: Definition): Name | null => {
  const name = definition.sort === 'resource' ? getDefinitionId(definition) : '';
  return name === '' ? null : { name, detail: getMemberText(definition.node, 'resource') };
});

export const suggestModels: NameSource = (place) =>
  uniqueNames(
    listDefinitions(place).flatMap(({ sort, name, node }) =>
      sort === 'model' ? [{ name, detail: formatShort(node.members.map(({ key }) => key).join(', ')) }] : [],
    ),
  );

/** Of the model that the sibling names, else of the model at the cursor, else of those that the actionable uses. */
export const suggestModelFields: NameSource = (place) => {
  const { view, site, within, findSibling } = place;
  const known = view.project.getRecentSnapshot().analysis;
  const { definition } = site;
  if (within !== undefined)
    return toFieldNames(findModelByAlias(known.models, String(findSibling(within)?.scalar ?? '')));
  // A row of a test is somewhere behind the name of its table.
  if (site.sort === 'test')
    return toFieldNames(site.levels.flatMap(({ key }) => findModelByAlias(known.models, String(key)) ?? []).at(-1));
  if (definition?.sort === 'model') return definition.node.members.map(({ key }) => ({ name: key }));
  const collection = findCollection(place);
  if (collection !== null) return toFieldNames(findModelByAlias(known.models, collection));
  const own = definition === null ? '' : getDefinitionId(definition);
  const action = site.levels.flatMap(({ node }) => (node === null ? [] : getMemberText(node, 'id'))).at(1);
  const touched = known.resources.find(({ id }) => id === own)?.actions.find(({ id }) => String(id) === action)?.models;
  return uniqueNames(
    known.models.filter(({ name }) => touched?.includes(name) === true).flatMap((model) => toFieldNames(model)),
  );
};

const toFieldNames = (model: DataModel | undefined): Name[] =>
  (model?.fields ?? []).map(({ name, value }) => ({
    name,
    detail: formatShort(value),
    doc: `A field of \`${model?.name ?? ''}\`.`,
  }));

function findCollection({ site: { levels } }: NameSourceInput): string | null {
  for (const { node, expansion } of [...levels].reverse()) {
    for (const [name, { field }] of expansion?.fields ?? []) {
      if (field.meta.language !== 'collection' || node === null) continue;
      const written = findMember(node, name)?.value?.scalar;
      if (typeof written === 'string') return written;
    }
  }
  return null;
}

/** Without `of`, instances of every kind with models. Includes unsaved instances in the config itself. */
export const suggestConnections: NameSource = ({ view, of }) => {
  const kinds = [...view.registry.kinds.values()].filter(({ kind, config }) =>
    of === undefined ? config?.models !== undefined : kind === of,
  );
  const { chosen } = view.project.config;
  const root = view.project.isConfig(view.name) ? view.tree.root : null;
  return uniqueNames(
    kinds.flatMap(({ kind, config }) => {
      const typed = (root && findMember(root, config?.field ?? '')?.value?.members) ?? [];
      return [
        ...typed.map(({ key }) => ({ name: key, detail: config?.field })),
        ...chosen.flatMap((one) => (one.kind === kind ? [{ name: one.instance, detail: one.name }] : [])),
      ];
    }),
  );
};

/** Headers used in the project, then the common ones. */
export const suggestHeaderNames: NameSource = (place) => {
  if (place.of === 'answer') return ANSWER_HEADERS;
  const { registry } = place.view;
  const kind = registry.listKinds(Slot.ACCESSOR)[0]?.kind ?? '';
  // The accessor being typed is not a name yet.
  const here = place.site.levels.at(-1)?.node;
  const used = listDefinitions(place).flatMap(({ finds }) =>
    finds.accessors.flatMap(({ node, parts }) =>
      (node === here ? [] : parts).flatMap(({ root, tail: [name] }) => {
        const facts = registry.plugin(kind, root)?.facts;
        const isOffered = facts?.offers?.includes(name ?? '') === true;
        return name === undefined || isOffered || facts?.reads !== 'headers'
          ? []
          : [{ name, detail: 'used in this project' }];
      }),
    ),
  );
  return uniqueNames([...used, ...REQUEST_HEADERS]);
};

export const suggestEnvNames: NameSource = ({ view }) =>
  view.project.envNames.names.map((name) => ({ name, detail: 'environment' }));

export const suggestGlobs: NameSource = ({ view }) => {
  const files = [...view.project.files.values()].map(({ file }) => file.replaceAll('\\', '/'));
  const folders = new Set(files.flatMap((file) => (file.includes('/') ? [file.slice(0, file.indexOf('/'))] : [])));
  return uniqueNames(
    ['definitions', ...folders].flatMap((folder) =>
      ['json', 'jsonc'].map((end) => ({ name: `${folder}/**/*.${end}` })),
    ),
  );
};

export const suggestPluginIds: NameSource = ({ view: { registry } }) => [
  ...[...registry.plugins].map(([id, { summary }]) => ({ name: id, doc: safeMarkdown(summary) })),
  ...[...registry.kinds.values()].map(({ kind, title }) => ({ name: `${kind}:*`, detail: `every plugin: ${title}` })),
];
