/** Complete definitions and a config for the start of a page, assembled from the examples of plugins. */
import type { Registry } from '../analysis/registry.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import { listHostProblems } from './example-check.js';

/** Characters of JSON; longer examples are too specific. */
const LONGEST = 500;

/** The file around the largest short example of the slot's plugins. */
export function findExample(registry: Registry, slot: string): Json | null {
  const all = registry.listKinds(slot).flatMap((kind) =>
    registry.names(kind.kind).flatMap((name) => {
      const spec = registry.plugin(kind.kind, name);
      return spec === undefined ? [] : spec.examples.map(({ json }) => kind.host(json, spec).json);
    }),
  );
  const measureSize = (json: Json): number => JSON.stringify(json).length;
  const short = all.filter((json) => measureSize(json) <= LONGEST);
  return short.sort((a, b) => measureSize(b) - measureSize(a))[0] ?? all[0] ?? null;
}

/** Adds each kind's config section as long as the whole stays valid. */
export function createConfigExample(registry: Registry): Json | null {
  let all: JsonObject = {};
  for (const kind of registry.kinds.values()) {
    const own = kind.config === undefined ? null : findFirstExample(registry, kind);
    if (own === null) continue;
    const wider = { ...all, ...own };
    if (listHostProblems(registry, { file: 'config', json: wider, at: '' }).length === 0) all = wider;
  }
  return Object.keys(all).length === 0 ? null : all;
}

function findFirstExample(registry: Registry, kind: Kind): JsonObject | null {
  for (const name of registry.names(kind.kind)) {
    const spec = registry.plugin(kind.kind, name);
    const example = spec?.examples[0];
    if (spec !== undefined && example !== undefined) return kind.host(example.json, spec).json;
  }
  return null;
}
