/** Compiles the rules into one step that judges the whole payload before any actionable runs. */
import { fault, type Issue } from '../../../kernel/contract/fault.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import { ResourcePhase } from '../../../kernel/contract/slot.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature, type FeaturePlan } from '../../kinds/feature.js';
import { validationType, type Judge, type ValidationType } from '../../kinds/validation-type.js';
import { escapePointer } from '../../../kernel/source/tree.js';

type Rule = Readonly<Record<string, Json>>;

interface FieldRule {
  readonly name: string;
  readonly pointer: string;
  readonly optional: boolean;
  readonly judge: Judge;
}

/** More would only tell a hostile client how busy it can keep us. */
const MAX_ISSUES = 50;

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }) => planRules(value['payload_validation'], (name) => resolve(validationType, name)),
  }),
});

function planRules(rules: Json | undefined, typeOf: (name: string) => ValidationType): FeaturePlan {
  const fields: FieldRule[] = [];
  const sample: Record<string, Json> = {};
  for (const rule of Array.isArray(rules) ? (rules as readonly Json[]) : []) {
    if (!isObject(rule) || !isObject(rule['field'])) continue;
    const { field, ...common } = rule;
    for (const [name, own] of Object.entries(field as Rule)) {
      const merged: Rule = { ...common, ...(isObject(own) ? own : {}) };
      const type = typeOf(asText(merged['type']));
      const optional = merged['optional'] === true;
      fields.push({ name, pointer: `/${escapePointer(name)}`, optional, judge: type.compile(merged) });
      if (!optional) sample[name] = type.sample(merged);
    }
  }
  return {
    steps: [{ id: 'payload_validation', phase: ResourcePhase.CHECK, run: ({ payload }) => judge(fields, payload) }],
    validates: fields.map(({ name }) => name),
    sample,
  };
}

function judge(fields: readonly FieldRule[], payload: Readonly<Record<string, unknown>>): void {
  let issues: Issue[] | null = null;
  for (const { name, pointer, optional, judge: rule } of fields) {
    if (issues !== null && issues.length >= MAX_ISSUES) break;
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (value === undefined || value === null) {
      if (!optional) (issues ??= []).push({ pointer, code: 'required', detail: 'is required' });
      continue;
    }
    const found: Issue[] = issues ?? [];
    rule(value, pointer, found);
    if (found.length > 0) issues = found;
  }
  if (issues === null) return;
  const [first] = issues;
  throw fault('VAL_PAYLOAD', { first: `${first?.pointer.slice(1)} ${first?.detail}.` }, { issues });
}
