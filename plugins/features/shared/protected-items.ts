/** Rejects items that steps cannot protect, and required values that are missing. */
import { createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { isObject, formatPointer } from '../../../contract/json.js';
import type { Frame, PlanTools, Reader } from '../../../contract/plan.js';
import { splitPath } from '../../../language/strings/path.js';
import { findPathMatches } from './change-at.js';

type Lists = Pick<PlanTools, 'repeat' | 'slot'>;

/** True when the list is not part of the payload; its items take precedence. */
const isResult = ({ repeat }: Pick<PlanTools, 'repeat'>): boolean =>
  repeat !== null && repeat.pointer === null && !repeat.body;

/** Reader of the repeated result list, where no slot holds it; null otherwise. */
export function createUnseenReader({ repeat, slot }: Lists): Reader | null {
  return repeat !== null && isResult({ repeat }) && findNamedList({ repeat, slot }) === null ? repeat.read : null;
}

/** A list from a result, and the slot of its first path segment. */
export interface NamedList {
  readonly path: readonly string[];
  readonly slot: number;
}

/** The named list that the statement repeats for, or null. */
export function findNamedList({ repeat, slot }: Lists): NamedList | null {
  const name = repeat?.name ?? null;
  if (name === null || !isResult({ repeat })) return null;
  const path = splitPath(name);
  const named = slot(path[0] ?? '');
  return named === null ? null : { path, slot: named };
}

/** True when a query writes the path and no rule makes it optional. */
export const isDemanded = (path: readonly string[], tools: PlanTools): boolean =>
  // Items of a list from a result have their own values.
  !isResult(tools) && isWritten(path, tools);

/** The same for items of a list from a result. */
export const isWritten = (path: readonly string[], tools: PlanTools): boolean => {
  const [root = '', ...rest] = path;
  return tools.isWritten(path) && tools.payloadField(root, ...rest)?.optional !== true;
};

const isPresent = ({ value }: { readonly value: unknown }): boolean => value !== undefined && value !== null;

/** Its path within an item, and the slot of the same name next to the list. */
export interface InItems {
  readonly list: NamedList;
  readonly own: readonly string[];
  readonly beside: number | null;
}

/** A value next to the list applies where an item has none. */
export function isAbsent(frame: Frame, slot: number, path: readonly string[], within: InItems | null): boolean {
  return within === null ? !findPathMatches(frame.slots[slot], path, 1).some(isPresent) : hasMissingItem(frame, within);
}

function hasMissingItem(frame: Frame, { list, own: path, beside: named }: InItems): boolean {
  const isBeside = (
    named === null ? findPathMatches(frame.payload, path) : findPathMatches(frame.slots[named], path, 1)
  ).some(isPresent);
  const items = findPathMatches(frame.slots[list.slot], list.path, 1).flatMap(
    ({ value }) => value as readonly unknown[],
  );
  return items.some((item) => !findPathMatches(item, path).some(isPresent) && !(isBeside && !isOwn(item, path)));
}

const isOwn = (item: unknown, [name = '']: readonly string[]): boolean => isObject(item) && Object.hasOwn(item, name);

/** Throws when an item has the field itself, which would be stored in clear text. */
export function rejectItems(items: unknown, paths: readonly (readonly string[])[], code: string): void {
  for (const item of Array.isArray(items) ? (items as readonly unknown[]) : []) {
    for (const [name = ''] of paths) {
      if (typeof item === 'object' && item !== null && Object.hasOwn(item, name)) throw createFault(code, { name });
    }
  }
}

/** Issues for values that are absent or null. `within`: the repeated list in the payload. */
export function findAbsentValues(payload: unknown, path: readonly string[], within: readonly string[] | null): Issue[] {
  const has = (value: unknown): boolean => findPathMatches(value, path).some(isPresent);
  const list = Array.isArray(payload)
    ? [{ path: [], value: payload as unknown }]
    : within === null
      ? []
      : findPathMatches(payload, within);
  const items = list.flatMap(({ path: at, value }) =>
    Array.isArray(value) ? value.map((item: unknown, n) => ({ at: [...at, String(n)], item })) : [],
  );
  if (list.length === 0) return has(payload) ? [] : [createIssue(path)];
  // An item's own field, even null, takes precedence over that of the payload.
  const isBeside = !Array.isArray(payload) && has(payload);
  return items.flatMap(({ at, item }) =>
    has(item) || (isBeside && !isOwn(item, path)) ? [] : [createIssue([...at, ...path])],
  );
}

const createIssue = (path: readonly string[]): Issue => ({
  pointer: formatPointer(path),
  code: 'required',
  detail: 'is missing, and is never stored without its protection',
});

/** Throws the validation fault when there are issues. */
export function assertNoIssues(issues: readonly Issue[]): void {
  const [first] = issues;
  if (first !== undefined)
    throw createFault('VAL_PAYLOAD', { first: `${first.pointer.slice(1)} ${first.detail}.` }, { issues: [...issues] });
}
