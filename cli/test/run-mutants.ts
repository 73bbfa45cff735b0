/** Makes one change of the definitions at a time, and runs the cases that call its resource until one fails. */
import type { Problem, Range } from '../../contract/problem.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { formatCodeFrame } from '../../language/source/code-frame.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember } from '../../language/source/tree.js';
import { createPaint } from '../colors.js';
import type { Terminal } from '../terminal.js';
import type { PlanSet } from '../../contract/resource-plan.js';
import type { TestCase } from './definition.js';
import { createMutants, type Mutant } from './mutants.js';
import { listCalls, runCase, type CaseContext } from './run-case.js';

export interface MutantRun extends CaseContext {
  readonly cases: readonly TestCase[];
  /** Other cases are there too: resources that none of these calls are left out. */
  readonly isPart: boolean;
  readonly overlay: (file: string, text: string | null) => void;
  /** By the key of the mutant; each environment has a server, and adds to it. */
  readonly results: Map<string, MutantResult>;
  readonly isLast: boolean;
  readonly terminal: Terminal;
}

export interface MutantResult {
  readonly fate: 'noticed' | 'survived' | 'rejected' | 'equal';
  /** The cases that ran. */
  readonly cases: readonly TestCase[];
}

export async function runMutants(run: MutantRun): Promise<void> {
  const { server, overlay, results, isLast, isPart } = run;
  const { kernel } = server;
  const analysis = kernel.analysis();
  const reported = countProblems(analysis);
  const outline = outlinePlans(kernel.plans());
  const calls = new Map(run.cases.map((test) => [test, listCalls(server, test)]));
  const lastNoticed = new Map<string, TestCase>();
  const uncalled = new Map<string, number>();
  for (const [at, mutant] of createMutants(analysis, kernel.project.registry).entries()) {
    const { doc, resource, text } = mutant;
    const key = `${at} ${doc.file}`;
    const { fate: known, cases: earlier } = results.get(key) ?? { fate: null, cases: [] };
    if (known !== null && known !== 'survived') continue;
    const own = run.cases.filter((test) => calls.get(test)?.has(resource) === true);
    const isUnknown = isLast && !isPart && known === null;
    if (own.length > 0 || isUnknown) {
      overlay(doc.file, text);
      const first = lastNoticed.get(resource);
      const ordered = [...own].sort((a, b) => Number(b === first) - Number(a === first));
      const decision = await decideFate(run, ordered, reported);
      const isEqual = mutant.arranges && decision.fate === 'survived' && outlinePlans(kernel.plans()) === outline;
      const { fate, noticed } = isEqual ? { fate: 'equal' as const, noticed: null } : decision;
      overlay(doc.file, null);
      if (noticed !== null) lastNoticed.set(resource, noticed);
      results.set(key, { fate, cases: [...earlier, ...own] });
    }
    const result = results.get(key);
    if (!isLast || result?.fate !== 'survived') continue;
    if (result.cases.length === 0) uncalled.set(resource, (uncalled.get(resource) ?? 0) + 1);
    else reportSurvivor(run, mutant, result.cases);
  }
  await kernel.reload();
  if (!isLast) return;
  reportUncalled(run, uncalled);
  const count = (fate: MutantResult['fate']): number =>
    [...results.values()].filter((result) => result.fate === fate).length;
  const [noticed, survived, equal] = [count('noticed'), count('survived'), count('equal')];
  run.terminal.stdout.write(`\n${noticed} of ${noticed + survived} changes noticed, ${survived} not`);
  run.terminal.stdout.write(`; the checker reports ${count('rejected')}`);
  run.terminal.stdout.write(equal === 0 ? '\n' : `, and ${equal} leave the plans as they are\n`);
}

/** In which order actionables run, in which transactions, and which result is sent. */
function outlinePlans({ byId }: PlanSet): string {
  const plans = [...byId.values()].map(({ id, main, groups, parts, reachable }) => {
    const actions = groups.flatMap((group) => group.actions);
    const first = actions.findIndex(({ pure, reads }) => !pure && !reads);
    // Until something is written, it makes no difference whether reads share a transaction.
    const before = actions.slice(0, first === -1 ? actions.length : first).map(({ key }) => key);
    const writes = groups.map((group) => group.actions.map(({ key }) => key).filter((key) => !before.includes(key)));
    return { id, main, before, writes: writes.filter(({ length }) => length > 0), parts: [...parts.keys()], reachable };
  });
  return JSON.stringify(plans);
}

const MOST_NAMES = 3;

function reportSurvivor(
  { terminal }: MutantRun,
  { doc, range, resource, change }: Mutant,
  cases: readonly TestCase[],
): void {
  const names = cases.slice(0, MOST_NAMES).map(({ id }) => `"${id}"`);
  const more = cases.length > MOST_NAMES ? ` and ${cases.length - MOST_NAMES} more` : '';
  const how = `${cases.length} case(s) call it, and pass: ${names.join(', ')}${more}`;
  printWarning(terminal, `"${resource}" ${change}: ${how}`, doc, range);
}

function reportUncalled({ server, terminal }: MutantRun, uncalled: ReadonlyMap<string, number>): void {
  for (const { id, definition } of server.kernel.analysis().resources) {
    const count = uncalled.get(id);
    if (count === undefined) continue;
    const { doc, node } = definition;
    const { start, end } = findMember(node, 'id')?.value ?? node;
    printWarning(terminal, `"${id}": no case calls it, so ${count} change(s) pass`, doc, rangeAt(doc, start, end));
  }
}

function printWarning(terminal: Terminal, message: string, doc: Document, range: Range): void {
  const problem: Problem = { file: doc.file, range, severity: 'warning', code: 'survived', message, related: [] };
  terminal.stdout.write(`\n${formatCodeFrame(problem, doc, createPaint(terminal))}\n`);
}

type Counts = ReadonlyMap<string, number>;

function countProblems({ problems }: Analysis): Counts {
  const counts = new Map<string, number>();
  for (const { code, message } of problems) {
    const key = `${code} ${message}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

interface Decision {
  readonly fate: MutantResult['fate'];
  /** The case that failed. */
  readonly noticed: TestCase | null;
}

async function decideFate(
  { server, ...context }: MutantRun,
  cases: readonly TestCase[],
  reported: Counts,
): Promise<Decision> {
  const { kernel } = server;
  const outcome = await kernel.reload();
  if (!outcome.applied) return { fate: 'rejected', noticed: null };
  for (const test of cases)
    if ((await runCase({ server, ...context }, test)).failures.length > 0) return { fate: 'noticed', noticed: test };
  const isReported = [...countProblems(kernel.analysis())].some(([key, count]) => count > (reported.get(key) ?? 0));
  return { fate: isReported ? 'rejected' : 'survived', noticed: null };
}
