/** What a step that protects values must not let pass: items it does not see, and columns that would be written without a value. */
import { fault, type Issue } from '../../../kernel/contract/fault.js';
import { isObject, pointerOf } from '../../../kernel/contract/json.js';
import type { Frame, PlanTools, Reader } from '../../../kernel/contract/plan.js';
import { splitPath } from '../../../kernel/language/path.js';
import { placesAt } from './change-at.js';

type Lists = Pick<PlanTools, 'repeat' | 'slot'>;

/** A list that is no part of the payload: its items win over the payload. */
const isResult = ({ repeat }: Pick<PlanTools, 'repeat'>): boolean =>
  repeat !== null && repeat.pointer === null && !repeat.body;

/** The result that the work is repeated for, where it has no name under which a step could change it. Null: there is none. */
export function unseenItems({ repeat, slot }: Lists): Reader | null {
  return repeat !== null && isResult({ repeat }) && namedList({ repeat, slot }) === null ? repeat.read : null;
}

/** A list out of a result, and the slot of its first name. */
export interface NamedList {
  readonly path: readonly string[];
  readonly slot: number;
}

/** The one that the work is repeated for. Null: there is none. */
export function namedList({ repeat, slot }: Lists): NamedList | null {
  const name = repeat?.name ?? null;
  if (name === null || !isResult({ repeat })) return null;
  const path = splitPath(name);
  const named = slot(path[0] ?? '');
  return named === null ? null : { path, slot: named };
}

/** A value of this path is demanded: a query writes it, and no rule says that it may be left out. */
export const isDemanded = (path: readonly string[], tools: PlanTools): boolean =>
  // Items of a list out of a result have their own values.
  !isResult(tools) && isWritten(path, tools);

/** The same, of the items of a list out of a result. */
export const isWritten = (path: readonly string[], tools: PlanTools): boolean => {
  const [root = '', ...rest] = path;
  return tools.writes(path) && tools.payloadField(root, ...rest)?.optional !== true;
};

const isThere = ({ value }: { readonly value: unknown }): boolean => value !== undefined && value !== null;

/** A value in the items of a list: what it is called in them, and the slot of that name beside the list. */
export interface InItems {
  readonly list: NamedList;
  readonly own: readonly string[];
  readonly beside: number | null;
}

/** Whether the value of a name is not there, or one of its items lacks it; what stands beside a list counts where an item says nothing. */
export function isAbsent(frame: Frame, slot: number, path: readonly string[], within: InItems | null): boolean {
  return within === null ? !placesAt(frame.slots[slot], path, 1).some(isThere) : lacksItem(frame, within);
}

function lacksItem(frame: Frame, { list, own: path, beside: named }: InItems): boolean {
  const isBeside = (named === null ? placesAt(frame.payload, path) : placesAt(frame.slots[named], path, 1)).some(
    isThere,
  );
  const items = placesAt(frame.slots[list.slot], list.path, 1).flatMap(({ value }) => value as readonly unknown[]);
  return items.some((item) => !placesAt(item, path).some(isThere) && !(isBeside && !isOwn(item, path)));
}

const isOwn = (item: unknown, [name = '']: readonly string[]): boolean => isObject(item) && Object.hasOwn(item, name);

/** Throws the Fault of items that have the value themselves: written as they are, they would stand in clear. */
export function refuseItems(items: unknown, paths: readonly (readonly string[])[], code: string): void {
  for (const item of Array.isArray(items) ? (items as readonly unknown[]) : []) {
    for (const [name = ''] of paths) {
      if (typeof item === 'object' && item !== null && Object.hasOwn(item, name)) throw fault(code, { name });
    }
  }
}

/** Issues of the values that are absent or null. `within`: the list in the payload that the work is repeated for. */
export function absentIn(payload: unknown, path: readonly string[], within: readonly string[] | null): Issue[] {
  const has = (value: unknown): boolean => placesAt(value, path).some(isThere);
  const list = Array.isArray(payload)
    ? [{ path: [], value: payload as unknown }]
    : within === null
      ? []
      : placesAt(payload, within);
  const items = list.flatMap(({ path: at, value }) =>
    Array.isArray(value) ? value.map((item: unknown, n) => ({ at: [...at, String(n)], item })) : [],
  );
  if (list.length === 0) return has(payload) ? [] : [issueAt(path)];
  // The own field of an item, also one that is null, wins over that of the payload.
  const isBeside = !Array.isArray(payload) && has(payload);
  return items.flatMap(({ at, item }) =>
    has(item) || (isBeside && !isOwn(item, path)) ? [] : [issueAt([...at, ...path])],
  );
}

const issueAt = (path: readonly string[]): Issue => ({
  pointer: pointerOf(path),
  code: 'required',
  detail: 'is missing, and is never stored without its protection',
});

/** Throws the Fault of these issues, if there are any. */
export function refuse(issues: readonly Issue[]): void {
  const [first] = issues;
  if (first !== undefined)
    throw fault('VAL_PAYLOAD', { first: `${first.pointer.slice(1)} ${first.detail}.` }, { issues: [...issues] });
}
