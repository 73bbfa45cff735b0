/** Converts a node to JSON for display, without values of secret fields. */
import { listChildLevels, resolveLevels, type Level } from '../language/analysis/levels.js';
import { ROOT_FIELDS } from '../language/analysis/grammar.js';
import type { Definition } from '../language/analysis/model.js';
import type { Registry } from '../language/analysis/registry.js';
import type { Json } from '../contract/json.js';
import { listAccessors } from '../language/strings/accessor.js';
import { toJson, type LocatedNode } from '../language/source/tree.js';

export function toRedactedJson(registry: Registry, { sort, node: root }: Definition, node: LocatedNode): Json {
  const path: (string | number)[] = [];
  for (let at = root; at !== node;) {
    const next = [...at.items, ...at.members.flatMap(({ value }) => value ?? [])].find(
      ({ start, end }) => start <= node.start && node.end <= end,
    );
    if (next === undefined) return null;
    path.push(
      at.type === 'array' ? at.items.indexOf(next) : (at.members.find(({ value }) => value === next)?.key ?? ''),
    );
    at = next;
  }
  const level = resolveLevels(registry, root, ROOT_FIELDS[sort], path).at(-1);
  return level === undefined ? null : redactLevel(registry, level);
}

function redactLevel(registry: Registry, level: Level): Json {
  const { node, field } = level;
  if (node === null) return null;
  if (field?.meta.secret === true && !isSingleAccessor(node)) return '…';
  const inner = listChildLevels(registry, level);
  if (node.type === 'array') return inner.map((one) => redactLevel(registry, one));
  if (node.type === 'object')
    return Object.fromEntries(inner.map((one) => [String(one.key), redactLevel(registry, one)]));
  return toJson(node);
}

/** True for a single accessor, which reveals no secret. */
function isSingleAccessor({ scalar }: LocatedNode): boolean {
  if (typeof scalar !== 'string') return false;
  const [only] = listAccessors(scalar);
  return only?.start === 0 && only.end === scalar.length;
}
