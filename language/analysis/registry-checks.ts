/** Validates kinds and plugin specs when the registry is built. */
import { BootError } from '../../contract/boot-error.js';
import type { FactSpec, Kind } from '../../contract/kind.js';
import { pluginId, type FactValue } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { FieldNode } from '../schema/field-node.js';

/** Kinds may be plain JavaScript, without a compiler's checks. */
export function checkKind(kind: Kind): void {
  const parts: [string, boolean][] = [
    ['kind', /^[a-z][a-z0-9-]*$/.test(kind.kind)],
    ['title', typeof kind.title === 'string'],
    ['summary', typeof kind.summary === 'string'],
    ['slots', Array.isArray(kind.slots)],
    ['select', ['always', 'field', 'key', 'name', 'root'].includes(kind.select?.by)],
    ['facts', typeof kind.facts === 'object'],
    ['handle', Array.isArray(kind.handle)],
    ['host', typeof kind.host === 'function'],
    ['config.field', kind.config === undefined || typeof kind.config.field === 'string'],
    ['config.many', kind.config === undefined || typeof kind.config.many === 'boolean'],
    ['config.load', kind.config === undefined || ['always', 'when-required'].includes(kind.config.load)],
    ['config.default', kind.config === undefined || typeof kind.config.default === 'function'],
  ];
  const wrong = parts.filter(([, fits]) => !fits).map(([name]) => `\`${name}\``);
  if (wrong.length > 0)
    throw new BootError('PLG_SPEC', { name: `kind ${kind.kind}`, what: `${wrong.join(', ')} missing or wrong` });
}

export function checkSpec(spec: PluginSpec): void {
  const failSpec = (what: string): never => {
    throw new BootError('PLG_SPEC', { name: pluginId(spec), what });
  };
  // A matcher is between the fields of a body.
  if (!/^\$?[A-Za-z][A-Za-z0-9_-]*$/.test(spec.name)) failSpec('its name is not a plain word');
  if (spec.summary.trim() === '') failSpec('it has no summary');
  if (spec.since.trim() === '') failSpec('it does not say since which version it exists');
  if (spec.examples.length === 0) failSpec('it has no example');
  if (spec.counterExamples.length === 0) failSpec('it has no counter-example');
}

export function checkFacts(kind: Kind, spec: PluginSpec): void {
  for (const [name, fact] of Object.entries(kind.facts)) {
    const value = spec.facts?.[name];
    if (value === undefined ? fact.required : !isFactValid(fact, value)) {
      const expected = fact.oneOf === undefined ? `a ${fact.type}` : `one of ${fact.oneOf.join(', ')}`;
      throw new BootError('PLG_FACTS', { name: pluginId(spec), fact: name, expected });
    }
  }
}

function isFactValid(fact: FactSpec, value: FactValue): boolean {
  if (fact.type === 'list') return Array.isArray(value);
  if (typeof value !== fact.type) return false;
  return fact.oneOf === undefined || fact.oneOf.includes(String(value));
}

/** The grammar, a schema, or a config section must open every slot. */
export function checkSlots(kinds: readonly Kind[], nodes: readonly FieldNode[], open: readonly string[]): void {
  const opened = new Set(open);
  for (const kind of kinds) if (kind.config !== undefined) opened.add(`config.${kind.config.field}`);
  for (const node of nodes) collectSlots(node, opened);
  for (const kind of kinds) {
    for (const slot of kind.slots) {
      if (!opened.has(slot)) throw new BootError('PLG_UNKNOWN_SLOT', { name: `kind ${kind.kind}`, slot });
    }
  }
}

function collectSlots(node: FieldNode, into: Set<string>): void {
  for (const slot of node.parts) into.add(slot);
  for (const field of Object.values(node.fields)) collectSlots(field, into);
  for (const form of node.options) collectSlots(form, into);
  if (node.inner !== null) collectSlots(node.inner, into);
}
