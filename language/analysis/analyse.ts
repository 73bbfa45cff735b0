/**
 * The analysis pipeline: texts in, model and problems out. Pure. An analyser reuses earlier results
 * (`stage-cache.ts`, `read.ts`) and returns what a new one would.
 */
import type { StatementParser } from '../../contract/query-language.js';
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import { isSub0 } from '../../contract/profile.js';
import type { EnvFacts } from './checks/accessors.js';
import type { QueryRejections, StatementRejections } from './checks/rejections.js';
import type { VerifiedFindings } from './check-set.js';
import type { AnalysisSettings } from './config.js';
import type { LinkedGroup } from './link-group.js';
import { isSame } from './lookups.js';
import { createSingleRun } from './single-run.js';
import { createStageCache, type StageInput } from './stage-cache.js';
import { runSteps, type Steps } from './steps.js';
import type { Analysis } from './analysis.js';
import type { Definition } from './model.js';
import type { LinkedResource } from './linked-resource.js';
import { readFile, renewDefinitions, type FileRead, type SourceFile } from './read.js';
import { createRegistryView, type Registry } from './registry.js';
import type { FieldNode } from '../schema/field-node.js';
import { compareByPlace, createReport, toProblems, type Report } from './report.js';
import { createStoredObjects } from './stored-objects.js';
import { analyseDefinitions, walkDefinitions, type AnalysisRun } from './analyse-definitions.js';

export type { VerifiedFindings } from './check-set.js';
export type { SourceFile } from './read.js';

export interface AnalyseOptions {
  /** The variables that are set; null when the environment is unknown. */
  readonly env: EnvFacts | null;
  /** Without it, statements are only scanned, not validated against the models. */
  readonly sql?: StatementParser | undefined;
  /** Null or absent when no config is known. */
  readonly given?: AnalysisSettings | null;
  /** Errors that databases returned for statements of an earlier analysis. */
  readonly refusals?: StatementRejections;
  /** The same for document queries. */
  readonly refusedQueries?: QueryRejections;
  /** SQL of the project, which may create views and functions. */
  readonly scripts?: readonly string[];
  /** The views and functions of stores, as statements that create them. */
  readonly stored?: readonly string[];
  /** The findings of an analysis with the same inputs: only what is served is computed. */
  readonly verified?: VerifiedFindings | undefined;
}

/** Locations in an analysis are valid until the next one. */
export interface Analyser {
  analyseAll(files: readonly SourceFile[], options: AnalyseOptions): Analysis;
  /** Resumes the last turn with the same input. Null: not done yet. */
  analyseInTurn(files: readonly SourceFile[], options: AnalyseOptions, isOver: () => boolean): Analysis | null;
  /** Many definitions are checked again, so that `analyseFirst` saves time. */
  readonly isWide: boolean;
  /** In turns: problems of these files; other files keep theirs. */
  analyseFirst(
    names: ReadonlySet<string>,
    files: readonly SourceFile[],
    options: AnalyseOptions,
    isOver: () => boolean,
  ): readonly Problem[] | null;
  /** Another registry, in which nothing but the schemas of these plugins is another. */
  changeSchemas(registry: Registry, ids: readonly PluginId[]): void;
  /** The problems of one file that hold in any set; the next analysis reuses them. */
  scanFile(file: SourceFile): readonly Problem[];
}

export function analyseFiles(files: readonly SourceFile[], registry: Registry, options: AnalyseOptions): Analysis {
  return createAnalyser(registry, createSingleRun(registry.codes)).analyseAll(files, options);
}

const MANY_OUTCOMES = 130;

/** An analysis in turns. Other work of the analyser ends it, because both change the cache. */
interface Sequence {
  readonly inputs: readonly StageInput[];
  readonly steps: Steps<Analysis>;
}

export function createAnalyser(first: Registry, memory = createStageCache(first.codes)): Analyser {
  let current = first;
  const registry = createRegistryView(() => current);
  let shelf = new Map<string, FileRead>();
  const outdated = new WeakSet<Definition>();
  let sequence: Sequence | null = null;
  /** Outcomes, and outdated definitions, since the last analysis. */
  let count = 0;
  let byShape = false;
  let last: { readonly inputs: readonly StageInput[]; readonly analysis: Analysis } | null = null;
  const read = (source: SourceFile, before: FileRead | undefined, report: Report): FileRead => {
    const found = readFile(source, before, { codes: registry.codes, byShape });
    report.merge(found.rows);
    return found;
  };
  function* analyseSources(
    files: readonly SourceFile[],
    { env, sql, given = null, refusals, refusedQueries, scripts = [], stored = [], verified }: AnalyseOptions,
    wanted: ReadonlySet<string> | null,
  ): Steps<Analysis> {
    const report = createReport(registry.codes);
    const reuseUnchanged = <T>(name: string, content: readonly StageInput[], value: T): T =>
      memory.getOrCompute(registry, report, { name, reads: content, compute: () => value });
    const facts = [...(env ?? [])].flatMap(([name, fact]) => [name, fact.length, fact.bytes, fact.blank, fact.sameAs]);
    const run: AnalysisRun = {
      registry,
      memory,
      report,
      reuseUnchanged,
      env: reuseUnchanged('env', [env?.size, facts], env),
      sql,
      given: reuseUnchanged('given', [given && JSON.stringify(given)], given),
      refusals,
      refusedQueries,
      verified,
      objects: memory.getOrCompute(registry, report, {
        name: 'scripts',
        reads: [...scripts, null, ...stored],
        compute: () => createStoredObjects([...registry.languages.values()], scripts, stored),
      }),
    };
    const inputs = [[...files], run.env, sql, run.given, refusals, refusedQueries, run.objects, verified];
    if (last !== null && isSame(last.inputs, inputs)) return last.analysis;
    const reads = new Map<string, FileRead>();
    const isTold = isSub0(given?.profile ?? null);
    if (isTold !== byShape) for (const [name, one] of shelf) if (!isReadByKeys(one)) shelf.delete(name);
    byShape = isTold;
    const all: FileRead[] = [];
    for (const source of files) {
      // Each file of the same name has a cached read, so that a turn goes on from there.
      let key = source.file;
      while (reads.has(key)) key += '\0';
      const known = shelf.get(key);
      const before = known && (wanted?.has(source.file) === false ? known : renewDefinitions(known, outdated));
      const found = read(source, before, report);
      reads.set(key, found);
      all.push(found);
      if (found === known) continue;
      shelf.set(key, found);
      yield 1;
    }
    shelf = reads;
    const found = all.flatMap((one) => one.definitions);
    const [definitions, tests] = [found.filter((one) => !isTest(one)), found.filter(isTest)];
    const analysis = yield* analyseDefinitions(run, definitions, tests, all);
    if (wanted === null) last = { inputs, analysis };
    return analysis;
  }
  function runTurn(
    files: readonly SourceFile[],
    options: AnalyseOptions,
    wanted: ReadonlySet<string> | null,
    isOver: () => boolean,
  ): Analysis | null {
    const inputs = [wanted, [...files], Object.entries(options).flat()];
    const own: Sequence =
      sequence !== null && isSame(sequence.inputs, inputs)
        ? sequence
        : { inputs, steps: analyseSources(files, options, wanted) };
    sequence = null;
    memory.setWanted(wanted && ((thing) => isIn(thing, wanted)));
    let step = own.steps.next();
    for (; step.done !== true; step = own.steps.next()) {
      count += step.value;
      if (!isOver()) continue;
      sequence = own;
      return null;
    }
    count = memory.changes.most = 0;
    return step.value;
  }
  return {
    analyseAll: (files, options) => runTurn(files, options, null, () => false) as Analysis,
    analyseInTurn: (files, options, isOver) => runTurn(files, options, null, isOver),
    get isWide() {
      return Math.max(count, memory.changes.most) > MANY_OUTCOMES;
    },
    analyseFirst(names, files, options, isOver) {
      const found = runTurn(files, options, names, isOver)?.problems;
      return found?.filter(({ file }) => names.has(file)) ?? null;
    },
    changeSchemas(next, ids) {
      sequence = null;
      const all = [...shelf.values()].flatMap(({ definitions }) => definitions);
      const found = all.filter(createOutdatedTest(current, next, ids));
      current = next;
      for (const one of found) outdated.add(one);
      if (found.length > 0) last = null;
      count += found.length;
    },
    scanFile(source) {
      sequence = null;
      const report = createReport(registry.codes);
      const found = read(source, shelf.get(source.file), report);
      shelf.set(source.file, found);
      // Only these are models under each profile.
      const certain = found.definitions.filter(({ sort, name }) => sort !== 'model' || name.startsWith('_'));
      runSteps(walkDefinitions({ registry, memory, report }, certain));
      return toProblems(report, new Set(found.repaired ? [source.file] : []))
        .filter(({ code }) => code !== 'DEF_NO_KIND')
        .sort(compareByPlace);
    },
  };
}

const isReadByKeys = ({ faulty, entries }: FileRead): boolean =>
  !faulty && entries.every(({ definitions: [first] }) => first !== undefined && first.sort !== 'model');

function isIn(thing: object, files: ReadonlySet<string>): boolean {
  if ('doc' in thing) return files.has((thing as Definition).doc.file);
  if ('definition' in thing) return files.has((thing as LinkedResource).definition.doc.file);
  return 'linked' in thing && (thing as LinkedGroup).linked.some((one) => isIn(one, files));
}

const isTest = ({ sort }: Definition): boolean => sort === 'test';

/** A definition that uses none of these plugins and has no finding of the walk reads nothing of their schemas. */
function createOutdatedTest(
  before: Registry,
  after: Registry,
  ids: readonly PluginId[],
): (definition: Definition) => boolean {
  if (ids.some((id) => isReadByAll(before, after, id))) return () => true;
  return ({ finds }) => finds.isReported || ids.some((id) => finds.uses.has(id));
}

/** True if objects without a field of the plugin may be valid before and invalid now, or the other way round. */
function isReadByAll(before: Registry, after: Registry, id: PluginId): boolean {
  const spec = after.plugins.get(id);
  const kind = spec && after.kind(spec.kind);
  if (spec === undefined || kind === undefined) return true;
  if (kind.select.by === 'field') return false;
  return kind.slots.some((slot) => {
    const [old, now] = [before.schema(id, slot), after.schema(id, slot)];
    if (old === undefined || now === undefined) return old !== now;
    return !isSame(listNeeds(old), listNeeds(now)) || (spec.facts?.instead !== undefined && !hasSameKeys(old, now));
  });
}

const listNeeds = ({ required, parts, fields }: FieldNode): (boolean | string)[] => [
  required,
  ...parts,
  ...Object.entries(fields).flatMap(([name, field]) => (field.required ? [name] : [])),
];

const hasSameKeys = (one: FieldNode, other: FieldNode): boolean =>
  isSame(Object.keys(one.fields), Object.keys(other.fields));
