/**
 * The effective config in this environment; while the text is invalid, the last valid one. An invalid variable is a problem, not
 * an exception.
 */
import type { EnvFacts } from '../language/analysis/checks/accessors.js';
import { analyseConfig, type Config } from '../language/analysis/config.js';
import type { Registry } from '../language/analysis/registry.js';
import { createReport, toProblems } from '../language/analysis/report.js';
import { BootError } from '../contract/boot-error.js';
import type { Problem } from '../contract/problem.js';
import { applyEnvironment } from '../language/project/config-environment.js';
import type { Environment } from '../language/project/environment.js';
import { CONFIG_NAME } from '../language/project/names.js';
import { createDocument } from '../language/source/document.js';

export interface ConfigSource {
  /** Text of the config file; null if there is none. */
  readonly source: string | null;
  readonly registry: Registry;
  readonly env: EnvFacts;
  /** Their values override the config's. */
  readonly variables: Environment;
}

export interface EffectiveConfig {
  readonly config: Config;
  readonly problems: readonly Problem[];
}

/** `config` is null if it has an error. */
export type ConfigReading = Pick<EffectiveConfig, 'problems'> & { readonly config: Config | null };

export function readConfig({ source, registry, env, variables }: ConfigSource): ConfigReading {
  const { config, problems } = analyseConfig(CONFIG_NAME, source, registry, env, true);
  if (config === null) return { config, problems };
  try {
    return { config: applyEnvironment(config, variables), problems };
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    const report = createReport(registry.codes);
    report.add(error.code, { doc: createDocument(CONFIG_NAME, source ?? '{}'), start: 0, end: 0 }, error.params);
    return { config, problems: [...problems, ...toProblems(report)] };
  }
}

export interface ConfigCache {
  get(): EffectiveConfig;
  /** Of a supposed text. */
  read(text: string): ConfigReading;
  /** Discards the cached result after the text has changed. */
  clear(): void;
  /** The same after anything else has changed. */
  clearAll(): void;
}

/** Enough for the offers of one completion. */
const MOST_READ = 200;

export function createConfigCache(given: () => ConfigSource): ConfigCache {
  let sound: Config | null = null;
  let known: EffectiveConfig | null = null;
  const byText = new Map<string, ConfigReading>();
  const read = (source: ConfigSource): ConfigReading => {
    const key = source.source ?? '';
    const found = byText.get(key) ?? readConfig(source);
    if (byText.size > MOST_READ) byText.clear();
    byText.set(key, found);
    return found;
  };
  return {
    clear: () => void (known = null),
    clearAll() {
      known = null;
      byText.clear();
    },
    read: (source) => read({ ...given(), source }),
    get() {
      if (known !== null) return known;
      const around = given();
      const { config, problems } = read(around);
      sound = config ?? sound ?? readConfig({ ...around, source: null }).config;
      if (sound === null) throw new Error('the config without a file has an error');
      known = { config: sound, problems };
      return known;
    },
  };
}
