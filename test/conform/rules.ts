/** Payload rules as single operations on a value: the closures that requests run, without the requests. */
import { createFault } from '../../contract/fault.js';
import type { Issue } from '../../contract/problem.js';
import { asText, isObject, type Json } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { Log, RuntimeContext } from '../../contract/plugin.js';
import { runtimes } from '../../plugins/index.runtime.js';
import { specs } from '../../plugins/index.spec.js';
import type { Ops, Outcome } from './ops.js';
import type { ValueValidator, ValidationType } from '../../plugins/validation-types/kind.js';

const doNothing = (): void => {};
const log: Log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

const types = new Map<string, ValidationType>();
const requireType = (name: string): ValidationType => {
  const type = types.get(name);
  if (type === undefined) throw createFault('VAL_PAYLOAD', { first: `no type ${name}` });
  return type;
};

for (const { kind, name } of specs.filter((spec) => spec.kind === 'validation-type')) {
  const id = `${kind}:${name}`;
  const context: RuntimeContext = {
    id,
    instance: name,
    options: {},
    log,
    signal: new AbortController().signal,
    env: () => undefined,
    folder: '.',
    resolve: <H>(_: Kind<H>, other: string) => requireType(other) as H,
  };
  const runtime = (await runtimes[id]?.())?.default;
  types.set(name, runtime?.create?.(context) as ValidationType);
}

export const compileRule = (rule: Readonly<Record<string, Json>>): ValueValidator =>
  requireType(asText(rule['type'])).compile(rule);

/** Everything that is wrong with a value. */
export function collectIssues(rule: Readonly<Record<string, Json>>, value: unknown, pointer = ''): Issue[] {
  const issues: Issue[] = [];
  compileRule(rule)(value, pointer, issues);
  return issues;
}

export const sampleRule = (rule: Readonly<Record<string, Json>>): Json =>
  requireType(asText(rule['type'])).sample(rule);

/** A value from a query string or a path, and its conversion by the rule. */
export const fromText = (rule: Readonly<Record<string, Json>>, sent: unknown): unknown =>
  requireType(asText(rule['type'])).fromText?.(sent) ?? sent;

/** `error` is the code of the first rule that is broken. */
function check(rule: unknown, value: unknown): Outcome {
  const [first] = collectIssues(isObject(rule) ? rule : {}, value);
  return first === undefined ? { ok: true } : { ok: false, error: first.code };
}

export const ops: Ops = {
  'rule.check': ({ rule, value }) => check(rule, value),
  'email.check': ({ value }) => check({ type: 'EMAIL' }, value),
};
