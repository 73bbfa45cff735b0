/** Whole definitions and a config to begin a page with, put together from the examples of the plugins. */
import type { Registry } from '../analysis/registry.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Kind } from '../contract/kind.js';
import { problemsIn } from './hosted.js';

/** Longer ones explain a plugin, not the language. */
const LONGEST = 500;

/** The whole file around the example that shows most, of the plugins that may stand in a slot. */
export function exampleIn(registry: Registry, slot: string): Json | null {
  const all = registry.kindsIn(slot).flatMap((kind) =>
    registry.names(kind.kind).flatMap((name) => {
      const spec = registry.plugin(kind.kind, name);
      return spec === undefined ? [] : spec.examples.map(({ json }) => kind.host(json, spec).json);
    }),
  );
  const sizeOf = (json: Json): number => JSON.stringify(json).length;
  const short = all.filter((json) => sizeOf(json) <= LONGEST);
  return short.sort((a, b) => sizeOf(b) - sizeOf(a))[0] ?? all[0] ?? null;
}

/** One section after the other, as long as all that is there can stand together. */
export function configExample(registry: Registry): Json | null {
  let all: JsonObject = {};
  for (const kind of registry.kinds.values()) {
    const own = kind.config === undefined ? null : firstOf(registry, kind);
    if (own === null) continue;
    const wider = { ...all, ...own };
    if (problemsIn(registry, { file: 'config', json: wider, at: '' }).length === 0) all = wider;
  }
  return Object.keys(all).length === 0 ? null : all;
}

function firstOf(registry: Registry, kind: Kind): JsonObject | null {
  for (const name of registry.names(kind.kind)) {
    const spec = registry.plugin(kind.kind, name);
    const example = spec?.examples[0];
    if (spec !== undefined && example !== undefined) return kind.host(example.json, spec).json;
  }
  return null;
}
