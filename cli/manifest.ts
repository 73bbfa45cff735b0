/** `lintel manifest`: validates the specs in a folder and writes them as data next to them. */
import { join, relative, resolve, sep } from 'node:path';
import { buildRegistry } from '../language/analysis/build-registry.js';
import { BootError } from '../contract/boot-error.js';
import { pluginId } from '../contract/plugin.js';
import { lintSpec, lintKind } from '../language/export/spec-lint.js';
import { createManifest, formatManifest } from '../language/export/manifest.js';
import { readManifest } from '../language/export/manifest-read.js';
import { locatePlugins, readFolder } from '../language/project/plugin-folders.js';
import { listPluginFolders, MANIFEST_NAME } from '../language/project/plugin-manifests.js';
import { createSpecDigest } from '../language/project/spec-digest.js';
import { isBuiltin, isBuiltinKind, loadProject } from '../plugins/distribution.js';
import type { CommandOptions } from './options.js';
import { readText, writeText } from './files.js';
import { createPaint } from './colors.js';
import type { Terminal } from './terminal.js';
import { readPackageFile } from '../language/project/package-folder.js';

export async function runManifest(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { config, arguments: words, check, trust } = options;
  const { cwd, env, stdout, stderr } = terminal;
  const paint = createPaint(terminal);
  const [word] = words;
  if (word === undefined) {
    stderr.write('Which folder? lintel manifest <plugin folder>\n');
    return 2;
  }
  // Others are read from their manifests.
  const project = await loadProject(cwd, config, env, false, trust);
  const listed = listPluginFolders(project.configDocument.text).map((entry) => locatePlugins(project.folder, entry));
  const requestedFolder = resolve(cwd, word);
  // Editors read the manifest of the folder that the config lists.
  const folder = listed.find((entry) => requestedFolder.startsWith(entry + sep)) ?? requestedFolder;
  const name = folder === requestedFolder ? word : relative(cwd, folder);
  for (const [other, what] of project.unrun?.unread ?? [])
    if (!`${folder}${sep}`.startsWith(`${locatePlugins(project.folder, other)}${sep}`))
      stderr.write(`Not read: ${other} (${what}); \`--trust\` runs its code.\n`);
  const found = await readFolder(folder, name);
  // The config may list this folder or a parent, as code or data.
  const isData = project.unrun !== null;
  const read = new Set(isData ? found.specs.map(pluginId).filter((id) => !isBuiltin(id)) : []);
  const readKinds = new Set(isData ? found.kinds.map(({ kind }) => kind) : []);
  const { kinds: allKinds, plugins } = project.registry;
  const registry = buildRegistry(
    [
      ...new Set([
        ...[...allKinds.values()].filter((kind) => isBuiltinKind(kind) || !readKinds.has(kind.kind)),
        ...found.kinds,
      ]),
    ],
    [...new Set([...[...plugins.values()].filter((spec) => !read.has(pluginId(spec))), ...found.specs])],
  );
  const checked = [
    ...found.kinds.map((kind) => ({ id: `kind ${kind.kind}`, flaws: lintKind(kind) })),
    ...found.specs.map((spec) => ({ id: pluginId(spec), flaws: lintSpec(registry, spec) })),
  ];
  for (const { id, flaws } of checked) {
    const lines = flaws.map((flaw) => `  ${paint('error', '!')} ${flaw}\n`);
    if (flaws.length > 0) stderr.write(`${id}\n${lines.join('')}`);
  }
  const count = checked.reduce((sum, { flaws }) => sum + flaws.length, 0);
  if (count > 0) throw new BootError('CLI_FLAWS', { folder: name, count });
  const findRuntimePath = (id: string): string | null => {
    const file = found.files.get(id);
    return file === undefined ? null : relative(folder, file).split(sep).join('/');
  };
  const { kinds, specs } = found;
  const text = formatManifest(
    createManifest({
      registry,
      version: readPackageFile().version,
      kinds,
      specs,
      digest: await createSpecDigest(folder),
      runtime: findRuntimePath,
    }),
  );
  // Validates the result with the strict reader that its consumers use.
  readManifest(text);
  const what = [...kinds.map(({ kind }) => `kind ${kind}`), ...specs.map(pluginId)].join(', ');
  if (check) {
    const current = (await readText(join(folder, MANIFEST_NAME))) === text;
    if (!current) throw new BootError('CLI_STALE', { what: join(name, MANIFEST_NAME), command: `manifest ${name}` });
    stdout.write(`${join(name, MANIFEST_NAME)} is up to date: ${what}\n`);
    return 0;
  }
  await writeText(join(folder, MANIFEST_NAME), text);
  stdout.write(`wrote ${join(name, MANIFEST_NAME)}: ${what}\n`);
  return 0;
}
