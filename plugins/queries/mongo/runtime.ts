/** One closure per actionable, which runs the query once, or for each item of a list. */
import { createFault, Fault } from '../../../contract/fault.js';
import { asText, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Preview } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { QueryRejection } from '../../../contract/statement-check.js';
import { documentAction, type BoundCall, type DocumentAction } from '../../document-actions/kind.js';
import { documentStore, type DocumentStore } from '../../document-stores/kind.js';
import { query, type QueryPlan } from '../kind.js';
import { createRepeatedRun } from '../shared/repeat.js';
import { describeInStore } from './described.js';
import { describeQuery, makeQuery, type CompiledQuery } from './statement.js';
import { markOutsideTransaction, createDocumentUnit, type OpenUnit } from './unit.js';
import { toPlainJson } from './values.js';

type Fields = Readonly<Record<string, Json>>;

export default defineRuntime(query, {
  create: ({ resolve }) => ({
    plan: (value, pointer, tools, result) => {
      const name = tools.connection(documentStore);
      const action = resolve(documentAction, asText(value['action']));
      const store = resolve(documentStore, name);
      return plan(value, pointer, tools, { name, store, action, one: result === 'one' });
    },
    async check(question, tables) {
      const store = resolve(documentStore, question.instance).describing?.();
      if (store === undefined) return null;
      return describeInStore(question, tables, store, resolve(documentAction, asText(question.value['action'])));
    },
  }),

  async checkQueries(handle, questions, tables) {
    const answers: (QueryRejection | null)[] = [];
    for (const question of questions) answers.push((await handle.check?.(question, tables)) ?? null);
    return answers;
  },
});

interface QueryTarget {
  readonly name: string;
  readonly store: DocumentStore;
  readonly action: DocumentAction;
  readonly one: boolean;
}

function plan(value: Fields, pointer: string, tools: PlanTools, { name, store, action, one }: QueryTarget): QueryPlan {
  const made = makeQuery(value, pointer, tools, store, action, one);
  const { repeat } = tools;
  const unit = createDocumentUnit(store, name, [made], repeat !== null);
  const describe = describeQuery(value, made, name);
  // Documents selected by more than a key are read before they change.
  const always = unit.turns.length > 0 && tools.isolation !== null;
  const reads = action.reads === true && { reads: true as const };
  const previewQuery = (frame: Frame): Preview => ({
    ...{ action: asText(value['action']), collection: made.collection },
    ...made.preview(frame),
    connection: name,
  });
  if (repeat === null)
    return {
      execute: (frame: Frame) => runOnce(made, frame),
      ...reads,
      unit,
      ...(always && { always: true as const }),
      preview: previewQuery,
      describe,
    };
  // A transaction takes no parallel operations, and the order of the list is preserved.
  const { parameters, bind, named } = made;
  const each = createRepeatedRun({ parameters, batchSize: 1, bind, run, named }, repeat, tools);
  return {
    execute: (frame: Frame) => {
      assertRepeatable(frame, action);
      return withErrorMark(each.execute(frame), frame);
    },
    preview: (frame) => each.previewFirst(frame, previewQuery),
    unit,
    always: true,
    list: true,
    ...(repeat.body && { takesList: true }),
    ...(repeat.body && repeat.pointer === null && { needsList: true }),
    describe,
  };
}

/** Without a transaction, another try of a job would write its items twice, with other ids. */
function assertRepeatable({ invocation, unit }: Frame, { reads }: DocumentAction): void {
  if (reads !== true && invocation.trigger === 'job' && getTransaction(unit) === null)
    throw createFault('DOC_LIST_AGAIN');
}

async function runOnce({ bind, named }: CompiledQuery, frame: Frame): Promise<unknown> {
  try {
    return await run(bind(frame), frame.unit);
  } catch (error) {
    const refused = error instanceof Fault ? named(error) : error;
    if (getTransaction(frame.unit) === null) markOutsideTransaction(refused);
    throw refused;
  }
}

const getTransaction = (unit: unknown): OpenUnit['transaction'] => (unit as OpenUnit | null)?.transaction ?? null;

/** An operation that fails outside a transaction may be partly done. */
async function withErrorMark<T>(work: Promise<T>, frame: Frame): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (getTransaction(frame.unit) === null) markOutsideTransaction(error);
    throw error;
  }
}

async function run(bound: BoundCall, unit: unknown): Promise<readonly unknown[]> {
  return (await bound(getTransaction(unit))).map(toPlainJson);
}
