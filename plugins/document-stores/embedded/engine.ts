/** MongoDB's query and update language by `mingo`, without script evaluation and with corrected operators. */
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr, type OpType } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import * as queries from 'mingo/operators/query';
import * as windows from 'mingo/operators/window';
import { Lazy } from 'mingo/lazy';
import { Query } from 'mingo/query';
import { updateMany } from 'mingo/updater';
import { resolve } from 'mingo/util';
import { Fault, createFault } from '../../../contract/fault.js';
import type { Document } from '../kind.js';
import { validateOperands } from './update-operands.js';
import { createPredicates } from './predicates.js';
import { toGroupStages, createExpressions, createJoin, createSort, type Stream } from './stages.js';

export type Fields = Record<string, unknown>;
type Operators = Record<string, unknown>;

const omitOperators = (operators: object, ...names: string[]): Operators =>
  Object.fromEntries(Object.entries(operators).filter(([name]) => name.startsWith('$') && !names.includes(name)));

interface StageOptions {
  readonly collectionResolver?: (name: string) => readonly Document[];
  readonly variables?: Document;
}

type Stage = (stream: Stream, expression: Document, options: StageOptions) => Stream;

const resolvePath = (document: Document, path: string): unknown => resolve(document, path);

/** Runs a stage of the library, which has other types of documents and streams. */
const runStage = (
  name: '$lookup' | '$sample' | '$bucketAuto',
  stream: Stream,
  expression: Document,
  options: StageOptions,
): Stream => stages[name](stream as never, expression as never, options as never);

/** `$lookup` by fields; `pipeline` runs over the joined documents. */
const joinCollection: Stage = (stream, expression, options) => {
  const { from, localField, foreignField, pipeline = [], let: variables = {}, as } = expression;
  if (typeof localField !== 'string' || typeof foreignField !== 'string')
    return runStage('$lookup', stream, expression, options);
  const { collectionResolver } = options;
  const find = createJoin(collectionResolver?.(String(from)) ?? [], localField, foreignField, resolvePath);
  return stream.map((document) => {
    const found = find(document);
    if (!Array.isArray(pipeline) || pipeline.length === 0) return { ...document, [String(as)]: found };
    const own = evalExpr(document, variables, options as never) as Fields;
    const settings = { ...SETTINGS, collectionResolver, variables: { ...options.variables, ...own } };
    return {
      ...document,
      [String(as)]: new Aggregator(pipeline as Fields[], settings as never).run(found as Fields[]),
    };
  });
};

const toStream = (documents: readonly Document[]): Stream => Lazy(documents);

const groupBuckets: Stage = (stream, expression, options) =>
  stream.transform((documents) =>
    toStream(new Aggregator(toGroupStages(expression) as Fields[], options as never).run(documents)),
  );

/** `$count` of no documents returns no document. */
const count = (stream: Stream, name: string): Stream =>
  stream.transform((documents) => toStream(documents.length === 0 ? [] : [{ [name]: documents.length }]));

/** On no documents they return none; the library's differ. */
const skipEmpty =
  (name: '$sample' | '$bucketAuto'): Stage =>
  (stream, expression, options) =>
    stream.transform((documents) =>
      documents.length === 0 ? toStream([]) : runStage(name, toStream(documents), expression, options),
    );

type Accumulator = (documents: unknown, expression: unknown, options: unknown) => unknown;

/** Missing fields are not collected; the library would collect null. */
const skipMissing =
  (accumulator: unknown): Accumulator =>
  (documents, value, options) => {
    const found = (accumulator as Accumulator)(documents, { value }, options) as readonly Document[];
    return found.filter((one) => one['value'] !== undefined).map((one) => one['value']);
  };

const CONTEXT = Context.init({
  accumulator: {
    ...omitOperators(accumulators, '$accumulator'),
    $push: skipMissing(accumulators.$push),
    $addToSet: skipMissing(accumulators.$addToSet),
  },
  expression: {
    ...omitOperators(expressions, '$function'),
    ...createExpressions(evalExpr, expressions),
  },
  pipeline: {
    ...omitOperators(stages, '$out', '$merge'),
    $sort: createSort(toStream),
    $bucket: groupBuckets,
    $count: count,
    $sample: skipEmpty('$sample'),
    $bucketAuto: skipEmpty('$bucketAuto'),
    $lookup: joinCollection,
  },
  projection: omitOperators(projections),
  query: { ...omitOperators(queries, '$where'), ...createPredicates(queries) },
  window: omitOperators(windows),
} as unknown as Partial<Record<OpType, never>>);

const SETTINGS = { scriptEnabled: false, useStrictMode: true, context: CONTEXT } as const;

/** The rest of the message may quote a value. */
function describeError(error: unknown): string {
  const operator = /\boperator:? '?(\$\w+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return operator === undefined
    ? 'the query language refused it'
    : `the query language refused the operator ${operator}`;
}

let isDescribing = false;

/** Runs work on no documents of requests: errors of the library need not be concealed. */
export function withPlainErrors<T>(work: () => T): T {
  isDescribing = true;
  try {
    return work();
  } finally {
    isDescribing = false;
  }
}

function withEngineFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isDescribing) throw error;
    throw error instanceof Fault ? error : createFault('QRY_FAILED', {}, { cause: new Error(describeError(error)) });
  }
}

export type Test = (document: Document) => boolean;

export function compileTest(filter: Document): Test {
  if (Object.keys(filter).length === 0) return () => true;
  const query = withEngineFault(() => new Query(filter, SETTINGS));
  return (document) => withEngineFault(() => query.test(document as Fields));
}

function normalizeDocument(document: Document): Document {
  const fields = Object.entries(document).filter(([name, value]) => name !== '_id' && value !== undefined);
  const { _id } = document;
  return _id === undefined ? Object.fromEntries(fields) : { _id, ...Object.fromEntries(fields) };
}

const isSlice = (value: unknown): value is { readonly $slice: unknown } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '$slice') && !isExpression(value as Document);
/** `$slice` with a field is an expression. */
const isExpression = ({ $slice: spec }: Document): boolean => Array.isArray(spec) && typeof spec[0] !== 'number';

function applySlice(list: unknown, spec: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const [first, count] = (Array.isArray(spec) ? spec : [null, spec]).map(Number) as [number, number];
  if (!Array.isArray(spec)) return count < 0 ? list.slice(count) : list.slice(0, count);
  const from = first < 0 ? Math.max(0, list.length + first) : first;
  return list.slice(from, from + count);
}

/** A projection of only `$slice` keeps all other fields. */
export function projectDocuments(
  documents: readonly Document[],
  filter: Document,
  projection: Document,
): readonly Document[] {
  const cuts = Object.entries(projection).filter(([path, value]) => isSlice(value) && !path.includes('.'));
  const others = Object.entries(projection).filter(([path, value]) => !isSlice(value) || path.includes('.'));
  const chosen = others.some(([path, value]) => path !== '_id' && Boolean(value));
  const rest = Object.fromEntries([...others, ...(chosen ? cuts.map(([path]) => [path, 1] as const) : [])]);
  const whole = Object.keys(rest).length === 0 ? documents : applyProjection(documents, filter, rest);
  if (cuts.length === 0) return whole;
  return whole.map((document) => {
    const changed = cuts.flatMap(([path, value]) =>
      isSlice(value) && Object.hasOwn(document, path)
        ? [[path, applySlice(document[path], value.$slice)] as const]
        : [],
    );
    return { ...document, ...Object.fromEntries(changed) };
  });
}

function applyProjection(documents: readonly Document[], filter: Document, projection: Document): readonly Document[] {
  return withEngineFault(() =>
    new Query(filter, SETTINGS)
      .find<Fields>(documents as Fields[], projection as Fields)
      .all()
      .map(normalizeDocument),
  );
}

/** The documents match the filter already; returns the new versions. */
export function updateDocuments(
  documents: readonly Fields[],
  filter: Document,
  update: Document | readonly Document[],
  arrayFilters: readonly Document[],
): readonly Fields[] {
  return withEngineFault(() => {
    const changed = [...documents];
    if (!Array.isArray(update)) validateOperands(update as Document, documents);
    const config = { arrayFilters: arrayFilters as Fields[], cloneMode: 'deep' as const };
    updateMany(changed, filter as Fields, update as Fields, config, SETTINGS);
    return changed;
  });
}

export function runPipeline(
  documents: readonly Document[],
  pipeline: readonly Document[],
  collection: (name: string) => readonly Document[],
): readonly Document[] {
  const collectionResolver = (name: string): Fields[] => collection(name) as Fields[];
  return withEngineFault(() =>
    new Aggregator(pipeline as Fields[], { ...SETTINGS, collectionResolver })
      .run<Fields>(documents as Fields[])
      .map(normalizeDocument),
  );
}
