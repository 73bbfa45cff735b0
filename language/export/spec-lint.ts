/** Lints a spec beyond the registry's rules. */
import type { Registry } from '../analysis/registry.js';
import type { Kind } from '../../contract/kind.js';
import { pluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { hasErrors } from '../../contract/problem.js';
import type { FieldNode } from '../schema/field-node.js';
import { foldSchema } from '../schema/fold.js';
import { checkCounterExample, checkExample } from './example-check.js';

const LONGEST_SUMMARY = 200;

export function lintSpec(registry: Registry, spec: PluginSpec): string[] {
  const kind = registry.kind(spec.kind);
  const nodes = (kind?.slots ?? []).flatMap((slot) => registry.schema(pluginId(spec), slot) ?? []);
  return [
    ...lintSentences(spec),
    ...nodes.flatMap((node) => lintFields(node, '')),
    ...lintExamples(registry, spec),
    ...lintCounterExamples(registry, spec),
    ...lintCodes(spec),
  ];
}

export function lintKind({ kind, summary, facts, common, config }: Kind): string[] {
  const isSentence = (doc: string): boolean => /[.!?]$/.test(doc);
  return [
    ...(isSentence(summary) ? [] : ['its summary is no sentence: it has no full stop']),
    ...Object.entries(facts).flatMap(([name, { doc }]) =>
      isSentence(doc) ? [] : [`the documentation of the fact "${name}" is no sentence`],
    ),
    ...(common === undefined ? [] : lintFields(foldSchema(common, kind), '')),
    ...(config === undefined || isSentence(config.doc)
      ? []
      : ['the documentation of its config section is no sentence']),
  ];
}

function lintSentences({ summary, since }: PluginSpec): string[] {
  const flaws: string[] = [];
  if (!/[.!?]$/.test(summary)) flaws.push('its summary is no sentence: it has no full stop');
  if (summary.length > LONGEST_SUMMARY) flaws.push(`its summary is longer than ${LONGEST_SUMMARY} characters`);
  if (!/^\d+\.\d+\.\d+$/.test(since)) flaws.push(`"since" is no version: ${JSON.stringify(since)}`);
  return flaws;
}

function lintFields(node: FieldNode, path: string): string[] {
  const own = Object.entries(node.fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const bare = /^\S[^]*[.)?!]$/.test(field.meta.doc) ? [] : [`the documentation of "${here}" is no sentence`];
    return [...bare, ...lintFields(field, here)];
  });
  return node.inner === null ? own : [...own, ...lintFields(node.inner, `${path}[]`)];
}

function lintExamples(registry: Registry, spec: PluginSpec): string[] {
  return spec.examples.flatMap((example) => {
    const checked = checkExample(registry, spec, example);
    const errors = checked?.problems.filter(({ severity }) => severity === 'error') ?? [];
    return errors.map(({ code, message }) => `the example "${example.title}" has an error: ${code} ${message}`);
  });
}

function lintCounterExamples(registry: Registry, spec: PluginSpec): string[] {
  return spec.counterExamples.flatMap((example) => {
    const checked = checkCounterExample(registry, spec, example);
    if (checked?.found !== null) return [];
    const { problems } = checked;
    const named = `the counter-example "${example.title}"`;
    if (problems.some(({ code }) => code === example.code)) {
      return [`${named} gives ${example.code}, but not at "${example.at}"`];
    }
    const instead = hasErrors(problems) ? `; it gives ${problems.map(({ code }) => code).join(', ')}` : '; it passes';
    return [`${named} does not give ${example.code}${instead}`];
  });
}

function lintCodes({ errors = {} }: PluginSpec): string[] {
  return Object.entries(errors).flatMap(([code, entry]) => {
    const flaws: string[] = [];
    if (!/^[A-Z]{2,3}_[A-Z0-9_]+$/.test(code))
      flaws.push(`the code ${code} is not two or three letters, "_" and more of them`);
    if (!/[.!?}]$/.test(entry.message)) flaws.push(`the message of ${code} is no sentence`);
    if (!/[.!?]$/.test(entry.help)) flaws.push(`the help of ${code} is no sentence`);
    if ((entry.severity === undefined) === (entry.status === undefined))
      flaws.push(`${code} needs either a severity (for definitions) or a status (for answers)`);
    return flaws;
  });
}
