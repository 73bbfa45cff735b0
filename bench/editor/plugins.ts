/** Adds plugins to the large project, with fields that no resource, ten resources and all resources use. */
import { numeric, shape, text } from '../../contract/combinators.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { createManifest, formatManifest } from '../../language/export/manifest.js';
import { readPackageFile } from '../../language/project/package-folder.js';
import { kinds } from '../../plugins/index.kinds.js';
import { specs } from '../../plugins/index.spec.js';
import type { LargeProject } from '../../test/support/large-files.js';

export const MANIFEST = 'own/plugin.manifest.json';

export const LABELS = ['unused_label', 'ten_label', 'every_label'] as const;
export type Label = (typeof LABELS)[number];

function createLabel(name: Label, change: SchemaChange): PluginSpec {
  const own = change?.label === name ? change.what : null;
  const summary = 'A label of the resource.';
  return {
    ...{ kind: 'feature', name, since: '1.0.0', summary, facts: { applies: 'when-present' } },
    slots: {
      resource: shape({
        [name]: own === 'type' ? numeric({ doc: summary }) : text({ doc: summary }),
        ...(own === 'field' && { [`more_${name}`]: text({ doc: summary }) }),
      }),
    },
    examples: [{ title: 'A label', json: { [name]: own === 'type' ? 1 : 'red' } }],
    counterExamples: [{ title: 'A list', json: { [name]: [] }, code: 'DEF_TYPE', at: `/${name}` }],
  };
}

export type SchemaChange = { readonly label: Label; readonly what: 'field' | 'type' } | null;

export function writeManifest(change: SchemaChange): string {
  const own = LABELS.map((name) => createLabel(name, change));
  const registry = buildRegistry(kinds, [...specs, ...own]);
  const { version } = readPackageFile();
  return formatManifest(createManifest({ registry, version, kinds: [], specs: own, runtime: () => null }));
}

/** One label is in ten resources, the open one among them; another is in all. */
export function addPlugins<P extends LargeProject>(project: P): P {
  let count = 0;
  const files = Object.entries(project.files).map(([file, content]): [string, string] => {
    if (!content.includes('"actionables"')) return [file, content];
    const ten = count++ % (project.resources / 10) === 0 ? '\n  "ten_label": "red",' : '';
    return [file, content.replace('{', `{${ten}\n  "every_label": "red",`)];
  });
  const config = '{ "definitions": ["definitions/**/*.json"], "plugins": ["builtin:*", "./own"] }\n';
  return {
    ...project,
    files: { ...Object.fromEntries(files), 'lintel.config.json': config, [MANIFEST]: writeManifest(null) },
  };
}
