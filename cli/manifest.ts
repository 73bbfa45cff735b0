/** `lintel manifest`: validates the specs in a folder and writes them as data next to them. */
import { join, relative, resolve, sep } from 'node:path';
import { buildRegistry } from '../language/analysis/registry.js';
import { BootError } from '../contract/boot-error.js';
import { pluginId } from '../contract/plugin.js';
import { lintSpec, lintKind } from '../language/export/spec-lint.js';
import { createManifest, formatManifest } from '../language/export/manifest.js';
import { readManifest } from '../language/export/manifest-read.js';
import { readFolder } from '../language/project/plugin-folders.js';
import { listPluginFolders, MANIFEST_NAME } from '../language/project/plugin-manifests.js';
import { createSpecDigest } from '../language/project/spec-digest.js';
import { loadProject } from '../kernel/runtime/project.js';
import type { CommandOptions } from './commands.js';
import { readText, writeText } from './files.js';
import { createPaint } from './colors.js';
import type { Terminal } from './terminal.js';
import { readPackageVersion } from './version.js';

export async function runManifest(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { config, arguments: words, check } = options;
  const { cwd, env, stdout, stderr } = terminal;
  const paint = createPaint(terminal);
  const [word] = words;
  if (word === undefined) {
    stderr.write('Which folder? lintel manifest <plugin folder>\n');
    return 2;
  }
  const project = await loadProject(cwd, config, env);
  const listed = listPluginFolders(project.configDocument.text).map((entry) => resolve(project.folder, entry));
  const asked = resolve(cwd, word);
  // Editors read the manifest of the folder that the config lists, so a folder inside it stands for it.
  const folder = listed.find((entry) => asked.startsWith(entry + sep)) ?? asked;
  const name = folder === asked ? word : relative(cwd, folder);
  const found = await readFolder(folder, name);
  // The config may already list this folder or a parent of it, so duplicates are removed.
  const registry = buildRegistry(
    [...new Set([...project.registry.kinds.values(), ...found.kinds])],
    [...new Set([...project.registry.plugins.values(), ...found.specs])],
  );
  const judged = [
    ...found.kinds.map((kind) => ({ id: `kind ${kind.kind}`, flaws: lintKind(kind) })),
    ...found.specs.map((spec) => ({ id: pluginId(spec), flaws: lintSpec(registry, spec) })),
  ];
  for (const { id, flaws } of judged) {
    const told = flaws.map((flaw) => `  ${paint('error', '!')} ${flaw}\n`);
    if (flaws.length > 0) stderr.write(`${id}\n${told.join('')}`);
  }
  const count = judged.reduce((sum, { flaws }) => sum + flaws.length, 0);
  if (count > 0) throw new BootError('CLI_FLAWS', { folder: name, count });
  const findRuntimePath = (id: string): string | null => {
    const file = found.files.get(id);
    return file === undefined ? null : relative(folder, file).split(sep).join('/');
  };
  const { kinds, specs } = found;
  const text = formatManifest(
    createManifest({
      registry,
      version: readPackageVersion(),
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
