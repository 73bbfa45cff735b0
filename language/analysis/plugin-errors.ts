/** Locates what a plugin rejects while a definition is compiled, and describes it as the checker does. */
import { BootError } from '../../contract/boot-error.js';
import { fillMessage, type Problem } from '../../contract/problem.js';
import { rangeAt } from '../source/document.js';
import { findMember } from '../source/tree.js';
import type { PluginUsage } from './facts.js';
import type { ActionModel, Definition } from './model.js';
import { createVariableCause, findOnlyVariable } from './only-variable.js';
import type { Registry } from './registry.js';
import { isInside, type Span } from './report.js';

/** `whole`: the part that was planned. */
interface ErrorLocation {
  readonly marked: Span;
  readonly whole: Span;
}

/** Runs `plan`, and adds the first field of the plugin to its error. */
export const locateFeatureErrors = <T>(
  definition: Definition,
  registry: Registry,
  place: PluginUsage,
  plan: () => T,
): T => locateErrors(definition, registry, () => locateField(place), plan);

/** Runs `plan`, and adds the query or actionable to its error. */
export function locateActionErrors<T>({ definition, node }: ActionModel, registry: Registry, plan: () => T): T {
  const { statements, documents } = definition.finds;
  const findQuery = (): Span => [...statements, ...documents].find((one) => isInside(one.node, node))?.node ?? node;
  return locateErrors(definition, registry, () => ({ marked: findQuery(), whole: node }), plan);
}

function locateField({ node, value }: PluginUsage): ErrorLocation {
  const [field = ''] = Object.keys(value);
  const found = findMember(node, field);
  if (found === undefined) return { marked: node, whole: node };
  return { marked: { start: found.keyStart, end: found.keyEnd }, whole: found.value ?? node };
}

function locateErrors<T>(definition: Definition, registry: Registry, locate: () => ErrorLocation, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    const { doc } = definition;
    const { marked, whole } = locate();
    const { start, end } = marked;
    error.variable ??= findOnlyVariable(definition, whole, registry) ?? undefined;
    error.range ??= { file: doc.file, range: rangeAt(doc, start, end) };
    const { line, character } = error.range.range.start;
    error.place ??= `${error.range.file}:${line + 1}:${character + 1}`;
    throw error;
  }
}

/** Without a location, the problem is at the start of the definition. */
export function toProblem({ doc, node }: Definition, error: BootError, { codes }: Registry): Problem {
  const entry = codes[error.code];
  const { start } = node;
  const { file, range } = error.range ?? { file: doc.file, range: rangeAt(doc, start, start + 1) };
  const message = entry === undefined ? error.message : fillMessage(entry.message, error.params);
  const { code, variable } = error;
  const cause = variable === undefined ? {} : { cause: createVariableCause(code, error.params, variable) };
  return { code, severity: 'error', message, file, range, related: [], ...cause };
}
