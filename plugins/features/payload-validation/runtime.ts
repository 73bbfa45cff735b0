/** One step that validates the payload before any actionable runs. */
import { createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import type { Json } from '../../../contract/json.js';
import { ResourcePhase } from '../../../contract/slot.js';
import type { Frame, Invocation, Payload, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { feature, type FeaturePlan } from '../kind.js';
import {
  pickBounds,
  createFieldsCanonicalizer,
  createItemsCanonicalizer,
  compileFields,
  createFieldsValidator,
  createItemsValidator,
  MAX_ISSUES,
  toRule,
  sampleFields,
  type FieldRule,
  type ValidationTypeLookup,
} from '../../validation-types/shared/fields.light.js';
import { validationType } from '../../validation-types/kind.js';

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }) => {
      const fields = compileRules(value['payload_validation'], (name) => resolve(validationType, name));
      // Bypassed fields remain in the sample body.
      const steps = createCanonicalSteps(fields);
      if (value['bypass_payload_validation'] === true) return { steps, sample: sampleFields(fields) };
      return fields.length === 0 ? { steps: [] } : planRules(fields, steps);
    },
  }),
});

function compileRules(rules: Json | undefined, typeOf: ValidationTypeLookup): FieldRule[] {
  const list = Array.isArray(rules) ? (rules as readonly Json[]) : [];
  return list.map(toRule).flatMap((rule) => compileFields(rule['field'], pickBounds(rule), typeOf));
}

/** Runs before any rule, so that later steps see only the canonical form. */
function createCanonicalSteps(fields: readonly FieldRule[]): Step[] {
  const each = createFieldsCanonicalizer(fields);
  if (each === null) return [];
  const ofList = createItemsCanonicalizer(each);
  const run = (frame: Frame): void => {
    const change = Array.isArray(frame.payload) ? ofList : each;
    frame.payload = frame.received = change?.(frame.payload) as Payload;
  };
  return [{ id: 'canonical', phase: ResourcePhase.CHECK, order: -500, run }];
}

function planRules(fields: readonly FieldRule[], before: readonly Step[]): FeaturePlan {
  const convert = createConverter(fields);
  const validate = createFieldsValidator(fields);
  const validateItems = createItemsValidator(validate);
  const run = (frame: Frame): void => {
    const { texts } = frame.invocation;
    if (texts !== null && convert !== null) frame.payload = convert(frame.payload, texts);
    const { payload } = frame;
    const issues: Issue[] = [];
    if (Array.isArray(payload)) validateItems(payload, '', issues);
    else validate(payload, issues);
    if (issues.length > 0) throwIssues(issues);
  };
  return {
    steps: [...before, { id: 'payload_validation', phase: ResourcePhase.CHECK, run }],
    validates: fields.map(({ name }) => name),
    sample: sampleFields(fields),
  };
}

function throwIssues(issues: readonly Issue[]): never {
  const [first] = issues;
  throw createFault(
    'VAL_PAYLOAD',
    { first: `${first?.pointer.slice(1)} ${first?.detail}.` },
    { issues: issues.slice(0, MAX_ISSUES) },
  );
}

type Convert = (payload: Payload, texts: NonNullable<Invocation['texts']>) => Payload;

/** Converts values that arrive as text to the types of their rules; null when none need it. */
function createConverter(fields: readonly FieldRule[]): Convert | null {
  const converted = fields.flatMap(({ name, type }) =>
    type.fromText === undefined ? [] : [{ name, read: (sent: unknown) => type.fromText?.(sent) }],
  );
  if (converted.length === 0) return null;
  return (payload, texts) => {
    let copy: Record<string, unknown> | null = null;
    for (const { name, read } of converted) {
      if ((texts !== 'all' && !texts.has(name)) || !Object.hasOwn(payload, name)) continue;
      const value = read(payload[name]);
      if (value === payload[name]) continue;
      // Without a prototype, field names such as `__proto__` are ordinary properties.
      copy ??= Object.assign(Object.create(null) as Record<string, unknown>, payload);
      copy[name] = value;
    }
    return copy ?? payload;
  };
}
