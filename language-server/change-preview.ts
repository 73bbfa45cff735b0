/** The problems that a project would have after a change of several files, without applying it. */
import { analyseFiles, type SourceFile } from '../language/analysis/analyse.js';
import type { Config } from '../language/analysis/config.js';
import type { Problem } from '../contract/problem.js';
import type { StatementSources } from '../language/project/scripts.js';
import { readConfig, type ConfigSource } from './effective-config.js';

export interface ProjectChange {
  /** New texts by absolute file name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** Renamed environment variables: old name to new name. */
  readonly env: ReadonlyMap<string, string>;
}

export interface ChangedProject extends ConfigSource {
  readonly configFile: string;
  /** The last valid config. */
  readonly config: Config;
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly statements: StatementSources;
  readonly toRelativeName: (name: string) => string;
}

export function previewChange({ texts, moved, env: renamed }: ProjectChange, now: ChangedProject): readonly Problem[] {
  const { configFile, config, files, statements, registry, variables, toRelativeName } = now;
  const env = new Map([...now.env].map(([name, fact]) => [renamed.get(name) ?? name, fact]));
  const source = texts.get(configFile) ?? now.source;
  const read = readConfig({ source, registry, env, variables });
  const supposed = [...files].map(([name, file]) => ({
    ...file,
    file: moved?.from === name ? toRelativeName(moved.to) : file.file,
    text: texts.get(name) ?? file.text,
  }));
  const { problems } = analyseFiles(supposed, registry, { env, ...statements, given: read.config ?? config });
  return [...read.problems, ...problems];
}
