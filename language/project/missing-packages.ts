/** Packages that plugins in use need and that are missing. */
import { BootError } from '../../contract/boot-error.js';
import type { Problem } from '../../contract/problem.js';
import type { PluginId } from '../../contract/plugin.js';
import type { Registry } from '../analysis/registry.js';
import { createReport, toProblems } from '../analysis/report.js';
import type { Document } from '../source/document.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import { parseSource } from '../source/parse.js';
import { readPackageFile } from './package-folder.js';

/** An entry of the config, or a plugin of definitions. */
export interface PluginInUse {
  readonly id: PluginId;
  readonly instance: string;
}

interface CheckedConfig {
  readonly registry: Registry;
  readonly configDocument: Document;
}

/** At the entry of the config that chooses the plugin, or at its start. */
export function checkPackages(
  { registry, configDocument: doc }: CheckedConfig,
  plugins: Iterable<PluginInUse>,
): readonly Problem[] {
  const report = createReport(registry.codes);
  for (const { id, instance } of plugins) {
    const missing = describeMissing(registry, id);
    if (missing === null) continue;
    const { start, end } = findEntry(doc, registry, id, instance) ?? { start: 0, end: 1 };
    report.add('PLG_PACKAGE', { doc, start, end }, missing);
  }
  return toProblems(report);
}

/** Plugins that would check statements in a scratch store. */
export function checkScratchPackages(
  { registry, configDocument: doc }: CheckedConfig,
  plugins: Iterable<PluginId>,
): readonly Problem[] {
  const report = createReport(registry.codes);
  for (const id of plugins) {
    const missing = describeMissing(registry, id, '--save-dev ');
    if (missing !== null) report.add('PLG_UNCHECKED', { doc, start: 0, end: 1 }, missing);
  }
  return toProblems(report);
}

/** Throws PLG_PACKAGE with the command that installs them. */
export function requirePackages(registry: Registry, id: PluginId): void {
  const missing = describeMissing(registry, id);
  if (missing !== null) throw new BootError('PLG_PACKAGE', missing);
}

/** The parameters of a problem; null where nothing is missing. */
function describeMissing(registry: Registry, id: PluginId, options = '') {
  const missing = findMissingPackages(registry, id);
  if (missing.length === 0) return null;
  return { plugin: id, packages: missing.join(', '), command: formatInstallCommand(missing, options) };
}

export const findMissingPackages = (registry: Registry, id: PluginId): readonly string[] =>
  registry.plugins.get(id)?.packages?.filter((name) => !isInstalled(name)) ?? [];

function findEntry(doc: Document, registry: Registry, id: PluginId, instance: string): LocatedNode | null {
  const section = registry.kind(id.split(':')[0] ?? '')?.config;
  const { root } = parseSource(doc);
  if (section === undefined || root === null) return null;
  const entry = findMember(root, section.field)?.value ?? null;
  if (entry === null || !section.many) return entry && (findMember(entry, 'use')?.value ?? entry);
  const own = findMember(entry, instance)?.value ?? entry;
  return findMember(own, 'use')?.value ?? own;
}

export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Installs the versions that Lintel is tested with. */
export function formatInstallCommand(names: readonly string[], options = ''): string {
  const { peerDependencies } = readPackageFile();
  return `npm install ${options}${names.map((name) => `${name}@${peerDependencies[name] ?? 'latest'}`).join(' ')}`;
}
