/** An analyser that stays while plugins mean the same, or differ in schemas alone. */
import { createAnalyser, type Analyser } from '../language/analysis/analyse.js';
import { listChangedSchemas, type LoadedRegistry } from './registry-source.js';

export function createAnalyserCache(): (plugins: LoadedRegistry) => Analyser {
  let kept: { readonly plugins: LoadedRegistry; readonly analyser: Analyser } | null = null;
  return (plugins) => {
    if (kept?.plugins === plugins) return kept.analyser;
    if (kept === null || kept.plugins.meaning !== plugins.meaning)
      kept = { plugins, analyser: createAnalyser(plugins.registry) };
    else {
      const ids = listChangedSchemas(kept.plugins, plugins);
      if (ids.length > 0) kept.analyser.changeSchemas(plugins.registry, ids);
      kept = { ...kept, plugins };
    }
    return kept.analyser;
  };
}
