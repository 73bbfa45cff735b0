/**
 * Hashes payload fields in two steps: hashes are computed before any actionable runs, so that transactions do not
 * wait and retries do not repeat the work; then the payload is replaced.
 */
import { createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { asText, isObject, formatPointer, type Json } from '../../../contract/json.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import type { Frame, Payload, PlanTools, Reader, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { splitPath } from '../../../language/strings/path.js';
import { feature } from '../kind.js';
import { hasher, type Hash, type Hasher } from '../../hashers/kind.js';
import { changeAt, findPathMatches, type PathMatch } from '../shared/change-at.js';
import {
  findAbsentValues,
  isAbsent,
  isDemanded,
  isWritten,
  findNamedList,
  assertNoIssues,
  rejectItems,
  createUnseenReader,
  type InItems,
} from '../shared/protected-items.js';

/** After the resource cache lookup, before the first actionable. */
const PHASE = ResourcePhase.RECALL + 50;
/** Per request: more could block others for minutes. */
const MOST = 100;

interface Entry {
  readonly path: readonly string[];
  /** Slot of a name that an actionable defines; null: the value is in the payload. */
  readonly named: number | null;
  /** True when a query writes the field and it is required. */
  readonly demanded: boolean;
  readonly within: InItems | null;
  readonly checkText: Hasher['checkText'];
  readonly hash: Hash;
  readonly salt: Reader<string>;
}

/** A text to hash: its entry and its path in the payload. */
interface Task {
  readonly entry: Entry;
  readonly path: readonly string[];
  readonly text: string;
}

interface HashedValue {
  readonly path: readonly string[];
  readonly hash: string;
}

/** By entry and text, so that a retried transaction does not hash again. */
type HashCache = Map<Entry, Map<string, string>>;
/** Hashes created for a request: a value that is one already is not hashed again. */
const made = new WeakMap<Frame['invocation'], Set<unknown>>();

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }, tools) => {
      const written = value['hashables'];
      const items = Array.isArray(written) ? (written as readonly Json[]).filter(isObject) : [];
      const entries = items.flatMap((item) => compile(item, resolve(hasher, asText(item['algorithm'])), tools));
      const pointer = tools.repeat?.pointer ?? null;
      const within = pointer === null ? null : pointer.split('/').slice(1);
      const sent = entries.filter(({ named }) => named === null);
      return {
        steps: [
          ...(sent.length === 0 ? [] : createHashSteps(sent, within, tools.allocateSlot())),
          ...createNameSteps(entries, tools),
        ],
      };
    },
  }),
});

function compile(item: Readonly<Record<string, Json>>, algorithm: Hasher, tools: PlanTools): Entry[] {
  const path = splitPath(asText(item['property']));
  tools.recordPayloadRead(path[0] ?? null);
  const options = isObject(item['options']) ? item['options'] : {};
  const entry: Entry = {
    path,
    named: tools.slot(asText(path[0])),
    demanded: isDemanded(path, tools),
    within: null,
    checkText: (text) => algorithm.checkText(text),
    hash: algorithm.compileHash(options),
    salt: tools.text(options['salt'] ?? ''),
  };
  // Items of a list taken from a result take precedence.
  const list = findNamedList(tools);
  if (list === null || path[0] === list.path[0]) return [entry];
  const within = { list, own: path, beside: entry.named };
  return [
    entry,
    { ...entry, path: [...list.path, ...path], named: list.slot, demanded: isWritten(path, tools), within },
  ];
}

function createHashSteps(entries: readonly Entry[], within: readonly string[] | null, slot: number): Step[] {
  return [
    {
      id: 'hashables: hash',
      phase: PHASE,
      run: (frame) => {
        assertNoIssues(
          entries.flatMap(({ path, demanded }) => (demanded ? findAbsentValues(frame.payload, path, within) : [])),
        );
        const tasks = collectTasks(entries, frame.payload, within);
        return tasks.length === 0 ? undefined : hashTasks(tasks, frame, slot);
      },
    },
    {
      id: 'hashables',
      phase: ActionPhase.BIND,
      seals: true,
      run: (frame) => {
        const hashed = frame.slots[slot] as readonly HashedValue[] | undefined;
        for (const { path, hash } of hashed ?? []) {
          frame.payload = changeAt(frame.payload, path, () => hash) as Payload;
        }
      },
    },
  ];
}

/** Named values exist only after their actionable; the first step cannot see items of a result. */
function createNameSteps(entries: readonly Entry[], tools: PlanTools): Step[] {
  const unseen = createUnseenReader(tools);
  const named = entries.filter((entry) => entry.named !== null);
  if (unseen === null && named.length === 0) return [];
  const paths = entries.map(({ path }) => path);
  const slot = tools.allocateSlot();
  const run = async (frame: Frame): Promise<void> => {
    if (unseen !== null) rejectItems(unseen(frame), paths, 'HSH_ITEMS');
    for (const entry of named) await hashName(entry, frame, slot);
  };
  return [{ id: 'hashables: names', phase: ActionPhase.BIND, run }];
}

async function hashName(entry: Entry, frame: Frame, slot: number): Promise<void> {
  const { named, path, hash, salt, checkText, demanded, within } = entry;
  if (named === null) return;
  const done = made.get(frame.invocation) ?? new Set<unknown>();
  made.set(frame.invocation, done);
  const all = (frame.slots[slot] ??= new Map()) as HashCache;
  const known = all.get(entry) ?? new Map<string, string>();
  all.set(entry, known);
  const rest = path.slice(1);
  const root = frame.slots[named];
  if (demanded && isAbsent(frame, named, path, within))
    throw createFault('HSH_NAME', { name: path.join('.'), what: 'has no value' });
  for (const { value } of findPathMatches(root, rest)) {
    if (value === undefined || value === null || done.has(value)) continue;
    const wrong = typeof value === 'string' ? checkText(value) : { detail: 'must be text' };
    if (wrong !== null) throw createFault('HSH_NAME', { name: path.join('.'), what: wrong.detail });
    const text = asText(value);
    if (!known.has(text)) {
      if (known.size >= MOST) throw createFault('HSH_TOO_MANY', { max: MOST });
      known.set(text, await hash(text, salt(frame), frame));
    }
    done.add(known.get(text));
  }
  const replaceText = (value: unknown): unknown => (typeof value === 'string' ? (known.get(value) ?? value) : value);
  frame.slots[named] = changeAt(frame.slots[named], path, replaceText, 1);
}

/** All values are validated before the first is hashed, because hashing is expensive. */
function collectTasks(entries: readonly Entry[], payload: unknown, within: readonly string[] | null): Task[] {
  const tasks: Task[] = [];
  const issues: Issue[] = [];
  for (const entry of entries) {
    for (const { path, value } of findValues(entry.path, payload, within)) {
      if (value === undefined || value === null) continue;
      const wrong = typeof value === 'string' ? entry.checkText(value) : { code: 'type', detail: 'must be text' };
      if (wrong !== null) issues.push({ pointer: formatPointer(path), ...wrong });
      if (tasks.push({ entry, path, text: asText(value) }) > MOST) {
        throw createFault('HSH_TOO_MANY', { max: MOST });
      }
    }
  }
  assertNoIssues(issues);
  return tasks;
}

/** Also through lists: `users.password` matches every user. With `within`, the field of each item is included. */
function findValues(path: readonly string[], payload: unknown, within: readonly string[] | null): PathMatch[] {
  const found = findPathMatches(payload, path);
  if (within === null || Array.isArray(payload)) return found;
  const inItems = findPathMatches(payload, [...within, ...path]);
  return [
    ...found,
    ...inItems.filter(({ path: one }) => !found.some((other) => other.path.join('.') === one.join('.'))),
  ];
}

/** One request occupies one hashing slot at a time. */
async function hashTasks(tasks: readonly Task[], frame: Frame, slot: number): Promise<void> {
  const hashed: HashedValue[] = [];
  for (const { entry, path, text } of tasks)
    hashed.push({ path, hash: await entry.hash(text, entry.salt(frame), frame) });
  frame.slots[slot] = hashed;
}
