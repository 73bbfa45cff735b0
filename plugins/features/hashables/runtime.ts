/**
 * Hashes fields of the payload in two steps: the work is done before any actionable runs (a transaction must not wait for
 * it, and a second try must not repeat it), and the payload is replaced when this actionable's turn has come.
 */
import { fault, type Issue } from '../../../kernel/contract/fault.js';
import { asText, escapePointer, isObject, type Json } from '../../../kernel/contract/json.js';
import { ActionPhase, ResourcePhase } from '../../../kernel/contract/slot.js';
import type { Frame, Payload, PlanTools, Reader, Step } from '../../../kernel/contract/plan.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { compilePath, splitPath, type PathReader } from '../../../kernel/language/path.js';
import { feature } from '../../kinds/feature.js';
import { hasher, type Hash, type Hasher } from '../../kinds/hasher.js';

/** After an answer out of a cache, before the first actionable. */
const PHASE = ResourcePhase.RECALL + 50;
/** More elements of one list would keep others waiting for minutes. */
const MOST = 100;

interface Entry {
  readonly path: readonly string[];
  readonly read: PathReader;
  readonly refuses: Hasher['refuses'];
  readonly hash: Hash;
  readonly salt: Reader<string>;
}

/** A text to hash: of which entry, and in which element where the payload is a list. */
interface Task {
  readonly entry: Entry;
  readonly element: number | null;
  readonly text: string;
}

interface Hashed {
  readonly path: readonly string[];
  readonly hash: string;
}

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }, tools) => {
      const written = value['hashables'];
      const items = Array.isArray(written) ? (written as readonly Json[]).filter(isObject) : [];
      const entries = items.map((item) => compile(item, resolve(hasher, asText(item['algorithm'])), tools));
      return { steps: entries.length === 0 ? [] : steps(entries, tools.memo()) };
    },
  }),
});

function compile(item: Readonly<Record<string, Json>>, algorithm: Hasher, tools: PlanTools): Entry {
  const path = splitPath(asText(item['property']));
  const options = isObject(item['options']) ? item['options'] : {};
  return {
    path,
    read: compilePath(path),
    refuses: (text) => algorithm.refuses(text),
    hash: algorithm.hashing(options),
    salt: tools.text(options['salt'] ?? ''),
  };
}

function steps(entries: readonly Entry[], slot: number): Step[] {
  return [
    {
      id: 'hashables: hash',
      phase: PHASE,
      run: (frame) => {
        const tasks = tasksOf(entries, frame.payload);
        return tasks.length === 0 ? undefined : work(tasks, frame, slot);
      },
    },
    {
      id: 'hashables',
      phase: ActionPhase.BIND,
      run: (frame) => {
        const hashed = frame.slots[slot] as readonly Hashed[] | undefined;
        for (const { path, hash } of hashed ?? []) frame.payload = replaced(frame.payload, path, hash) as Payload;
      },
    },
  ];
}

/** Everything is judged before the first text is hashed: that is cheap, hashing is not. */
function tasksOf(entries: readonly Entry[], payload: unknown): Task[] {
  const elements = Array.isArray(payload) ? (payload as readonly unknown[]).entries() : [[null, payload] as const];
  const tasks: Task[] = [];
  const issues: Issue[] = [];
  for (const [element, value] of elements) {
    for (const entry of entries) {
      const text = entry.read(value);
      if (text === undefined || text === null) continue;
      const wrong = typeof text === 'string' ? entry.refuses(text) : { code: 'type', detail: 'must be text' };
      if (wrong !== null) issues.push({ pointer: pointerOf(entry, element), ...wrong });
      if (tasks.push({ entry, element, text: asText(text) }) > MOST) {
        throw fault('HSH_TOO_MANY', { max: MOST });
      }
    }
  }
  const [first] = issues;
  if (first === undefined) return tasks;
  throw fault('VAL_PAYLOAD', { first: `${first.pointer.slice(1)} ${first.detail}.` }, { issues });
}

const pointerOf = ({ path }: Entry, element: number | null): string =>
  [...(element === null ? [] : [String(element)]), ...path].map((segment) => `/${escapePointer(segment)}`).join('');

/** One after the other: a request, however long its list, takes one place among those that are worked on. */
async function work(tasks: readonly Task[], frame: Frame, slot: number): Promise<void> {
  const hashed: Hashed[] = [];
  for (const { entry, element, text } of tasks) {
    const path = element === null ? entry.path : [String(element), ...entry.path];
    hashed.push({ path, hash: await entry.hash(text, entry.salt(frame)) });
  }
  frame.slots[slot] = hashed;
}

/** A copy in which the value at an existing path is another; what was received stays as it is. */
function replaced(value: unknown, [segment, ...rest]: readonly string[], hash: string): unknown {
  if (segment === undefined) return hash;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return value;
  const inner = replaced((value as Readonly<Record<string, unknown>>)[segment], rest, hash);
  return Array.isArray(value)
    ? (value as readonly unknown[]).with(Number(segment), inner)
    : { ...value, [segment]: inner };
}
