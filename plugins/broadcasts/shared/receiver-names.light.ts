/** Detects receivers written as constant text where an accessor was intended. Pure. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { listAccessors } from '../../../language/strings/accessor.js';

export const constantErrors = {
  BRC_CONSTANT: {
    severity: 'warning',
    title: 'Always the same receiver',
    message:
      '"{text}" is constant text, so the receiver never changes; for the value of that name write "$PAYLOAD.{text}".',
    help: 'Receivers are named by accessors: `$PAYLOAD.<name>`, `$PROTECTED.<claim>`. A text is a `uid` itself.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

const LIKE_A_NAME = /^(?:[a-z][A-Za-z0-9_]*(?:_id|Id|_uid|_ids|Ids)|u?id|uids?|ids)$/;

/** A text that names a value of this resource, or looks like an identifier. */
export function checkConstantReceiver(json: Json | undefined, at: string, root: CheckPlace['root']): Finding[] {
  if (typeof json !== 'string' || !(LIKE_A_NAME.test(json) || collectNames(root).has(json))) return [];
  const text = JSON.stringify(`$PAYLOAD.${json}`);
  return [{ code: 'BRC_CONSTANT', at, params: { text: json }, fix: { title: `change to ${text}`, text } }];
}

function collectNames({ actionables }: CheckPlace['root']): ReadonlySet<string> {
  const names = new Set<string>();
  for (const action of listObjects(actionables)) {
    for (const { field } of listObjects(action['payload_validation']))
      if (isObject(field)) Object.keys(field).forEach((name) => names.add(name));
    const chains = [action, ...listObjects(action['depends_on'])];
    for (const { extract_response_for: pairs } of chains)
      listObjects(pairs).forEach((pair) => names.add(asText(pair['for'])));
  }
  return names;
}

const listObjects = (json: Json | undefined): readonly JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

export const isOneAccessor = (text: string): boolean => {
  const [only] = listAccessors(text);
  return only?.start === 0 && only.end === text.length;
};
