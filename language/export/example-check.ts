/**
 * Checks examples inside complete files. All variables count as set, unless a counter-example is about an unset one.
 */
import type { EnvFacts } from '../analysis/checks/accessors.js';
import { analyseFiles } from '../analysis/analyse.js';
import { analyseConfig } from '../analysis/config.js';
import type { Registry } from '../analysis/registry.js';
import type { Json } from '../../contract/json.js';
import type { Host } from '../../contract/kind.js';
import type { EnvFact } from '../../contract/plugin.js';
import type { CounterExample, Example, PluginSpec } from '../../contract/plugin-spec.js';
import type { Problem, Range } from '../../contract/problem.js';
import { Slot } from '../../contract/slot.js';
import { listAccessors } from '../strings/accessor.js';
import { createDocument, rangeAt, type Document } from '../source/document.js';
import { findNode } from '../source/tree.js';
import { parseSource } from '../source/parse.js';

export const EXAMPLE_FILES = {
  resource: 'example.json',
  model: 'models.json',
  config: 'lintel.config.json',
  test: 'example.test.json',
} as const;

/** A variable with a value long enough for a key. */
const createEnvFact = (name: string): EnvFact => {
  // The name may specify the length: `EXAMPLE_KEY_16`.
  const length = Number(/_([1-9]\d?)$/.exec(name)?.[1] ?? 32);
  return { length, bytes: length, blank: false };
};

export interface CheckedExample {
  readonly host: Host;
  readonly doc: Document;
  readonly problems: readonly Problem[];
}

/** Returns null if the kind is not registered. */
export function checkExample(registry: Registry, spec: PluginSpec, example: Example): CheckedExample | null {
  const host = registry.kind(spec.kind)?.host(example.json, spec);
  return host === undefined ? null : checkHost(host, registry, listVariables(registry, host.json));
}

/** Returns the problems of a whole file; every variable that it reads counts as set. */
export const listHostProblems = (registry: Registry, host: Host): readonly Problem[] =>
  checkHost(host, registry, listVariables(registry, host.json)).problems;

/** `found`: the problem with the counter-example's code at its location; null if there is none. */
export function checkCounterExample(
  registry: Registry,
  spec: PluginSpec,
  example: CounterExample,
): (CheckedExample & { readonly found: Problem | null }) | null {
  const first = checkExample(registry, spec, example);
  if (first === null) return null;
  const hasCode = (checked: CheckedExample): boolean => checked.problems.some(({ code }) => code === example.code);
  const checked = hasCode(first) ? first : checkHost(first.host, registry, []);
  const candidates = checked.problems.filter(({ code }) => code === example.code);
  const found = candidates.find(({ range }) => isAtPointer(checked, `${checked.host.at}${example.at}`, range));
  return { ...checked, found: found ?? null };
}

export type FindProblem = (spec: PluginSpec, example: CounterExample) => Problem | null;

/** Finds the problem of a counter-example, once for all pages that show it. */
export function createProblemFinder(registry: Registry): FindProblem {
  // Several plugins may share one.
  const known = new Map<PluginSpec, Map<CounterExample, Problem | null>>();
  return (spec, example) => {
    const own = known.get(spec) ?? new Map<CounterExample, Problem | null>();
    known.set(spec, own);
    const found = own.get(example) ?? checkCounterExample(registry, spec, example)?.found ?? null;
    own.set(example, found);
    return found;
  };
}

function checkHost(host: Host, registry: Registry, variables: Iterable<string>): CheckedExample {
  const env: EnvFacts = new Map([...variables].map((name) => [name, createEnvFact(name)]));
  const file = EXAMPLE_FILES[host.file];
  const text = JSON.stringify(host.json, null, 2);
  const { problems } =
    host.file === 'config'
      ? analyseConfig(file, text, registry, env)
      : analyseFiles([{ file, text }], registry, { env });
  return { host, doc: createDocument(file, text), problems };
}

/** The range may be the value, its key, its opening bracket, or a part of its text. */
function isAtPointer({ doc }: CheckedExample, pointer: string, range: Range): boolean {
  const { root } = parseSource(doc);
  const found = root === null ? null : findNode(root, pointer);
  if (found === null) return false;
  const { node, member } = found;
  const value = rangeAt(doc, node.start, node.end);
  const exact = [value, rangeAt(doc, node.start, node.start + 1)];
  if (member !== null) exact.push(rangeAt(doc, member.keyStart, member.keyEnd));
  return (
    exact.some((place) => isInside(range, place) && isInside(place, range)) ||
    (node.type === 'string' && isInside(range, value))
  );
}

function isInside(inner: Range, outer: Range): boolean {
  const isBefore = (a: Range['start'], b: Range['start']): boolean =>
    a.line < b.line || (a.line === b.line && a.character <= b.character);
  return isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
}

/** Environment variables that accessors in the JSON read. */
function listVariables(registry: Registry, json: Json): Set<string> {
  const roots = registry
    .listKinds(Slot.ACCESSOR)
    .flatMap(({ kind }) => registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.tail === 'env'));
  const found = new Set<string>();
  const visit = (part: Json): void => {
    if (typeof part === 'string') {
      for (const { root, tail } of listAccessors(part)) if (roots.includes(root)) found.add(tail[0] ?? '');
    } else if (typeof part === 'object' && part !== null) Object.values(part as object).forEach(visit);
  };
  visit(json);
  return found;
}
