/** How a job resumes: its steps (each commits as a whole), what each passes on, and where its end is noted. */
import type { Inbox, Note } from '../../../contract/deferred.js';
import type { PartSource, PartStep } from '../../../contract/part.js';
import type { Frame, SharedUnit } from '../../../contract/plan.js';
import { createValueSerializer, findMissingLabel, collectReads } from './reads.js';

export interface StepPlan {
  /** Its number among the steps of all stages. */
  readonly number: number;
  /** Its transaction, if plugins can take part in it. */
  readonly shared: SharedUnit | null;
  readonly keys: readonly string[];
  /** Null: the queue notes the step after it ends. */
  readonly inbox: Inbox | null;
  /** False when the step is repeatable, or when the job's own end records it. */
  readonly noted: boolean;
  readonly last: boolean;
  /** Values for later steps. */
  readonly captureState: (frame: Frame) => Pick<Note, 'carries' | 'state'>;
}

export interface CursorPlan {
  readonly stages: readonly (readonly StepPlan[])[];
  readonly inboxes: readonly Inbox[];
  /** Restores the values of noted steps. Returns the label of a missing value, or null. */
  readonly restoreValues: (notes: readonly Note[], frame: Frame) => string | null;
}

/** Null for work that is never repeated, and for a single step without an inbox. */
export function compileCursor(source: PartSource): CursorPlan | null {
  const { stages, findInbox } = source;
  if (stages === null) return null;
  const members = source.members.map(({ key }) => key);
  const indexOf = new Map(source.sequence.map((key, index) => [key, index]));
  /** Without side effects, or only reading a secret result, which must not be stored. */
  const isPure = ({ actions }: PartStep): boolean =>
    actions.every(({ pure, reads, key }) => pure || (reads && hasSecretReads(source, members, key)));
  const lasting = stages.flat().filter((step) => !isPure(step));
  const [only] = lasting;
  if (only === undefined || (lasting.length === 1 && findInbox(only) === null)) return null;
  const listKeys = ({ actions }: PartStep): string[] => actions.map(({ key }) => key);
  const order = stages.flat().flatMap(listKeys);
  const findMembers = (keys: readonly string[]): string[] => members.filter((key) => keys.includes(key));
  const known = new Set(order);
  const ends = lasting.at(-1);
  const numbers = new Map(stages.flat().map((step, number) => [step, number]));
  const steps = stages.map((stage, at) => {
    const behind = findMembers(
      stages
        .slice(at + 1)
        .flat()
        .flatMap(listKeys),
    );
    return stage.map((step): StepPlan => {
      const keys = listKeys(step);
      const inbox = findInbox(step);
      const { names, results, labels } = collectReads(source, behind, (key) => keys.includes(key));
      const { serializeValues } = createValueSerializer(names, results, indexOf);
      const carries = labels.filter((label) => /^(?:name|result):/.test(label));
      return Object.freeze({
        number: numbers.get(step) ?? -1,
        shared: step.unit?.shared ?? null,
        keys,
        inbox,
        last: stage.length === 1 && at === stages.length - 1,
        noted: !isPure(step) && (step !== ends || inbox !== null || stage.length > 1),
        captureState: (frame: Frame) => ({ carries, state: serializeValues(frame) }),
      });
    });
  });

  function restoreNotes(notes: readonly Note[], frame: Frame): string | null {
    const done = new Set(notes.flatMap(({ actions }) => actions));
    const left = findMembers(order.filter((key) => !done.has(key)));
    const { names, results, labels } = collectReads(source, left, (key) => done.has(key) && known.has(key));
    const given = createValueSerializer(names, results, indexOf);
    const findPosition = ({ actions }: Note): number => Math.max(...actions.map((key) => order.indexOf(key)));
    for (const { state } of [...notes].sort((a, b) => findPosition(a) - findPosition(b)))
      if (state) given.restoreValues(state, frame);
    const carries = notes.flatMap((note) => note.carries);
    return findMissingLabel(
      carries,
      labels.filter((label) => label.startsWith('result:')),
    );
  }

  const inboxes = new Set(steps.flat().flatMap(({ inbox }) => inbox ?? []));
  return Object.freeze({ stages: steps, inboxes: [...inboxes], restoreValues: restoreNotes });
}

function hasSecretReads(source: PartSource, members: readonly string[], key: string): boolean {
  const secrets = source.findSecrets(key);
  const others = members.filter((member) => member !== key);
  if (secrets.size === 0) return false;
  const { labels } = collectReads(source, others, (one) => one === key);
  const paths = labels.flatMap((label) => (label.startsWith('result:') ? label.slice(label.lastIndexOf(':') + 1) : []));
  return paths.some((path) => path === '*' || path.split('.').some((segment) => secrets.has(segment)));
}
