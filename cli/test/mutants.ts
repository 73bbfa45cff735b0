/**
 * Changes of the definitions, one at a time, that a test should notice: a field is left out, a condition holds for
 * every row, two parameters change places. The cases of the resource run until one fails.
 */
import type { Json } from '../../contract/json.js';
import type { Range } from '../../contract/problem.js';
import { listEntries } from '../../language/analysis/classify.js';
import { ROOT_FIELDS } from '../../language/analysis/grammar.js';
import { levelAt, listChildLevels, type Level } from '../../language/analysis/levels.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { Registry } from '../../language/analysis/registry.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember, toJson, type LocatedNode } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { tokenizeSql } from '../../plugins/queries/sql/text/tokens.js';
import { formatCodeFrame } from '../../language/source/code-frame.js';
import { createPaint } from '../colors.js';
import type { Terminal } from '../terminal.js';
import type { TestCase } from './definition.js';
import { listCalls, runCase, type CaseContext } from './run-case.js';

interface Mutant {
  readonly resource: string;
  /** `without "max_length"` */
  readonly change: string;
  readonly doc: Document;
  readonly range: Range;
  /** The whole file with the change. */
  readonly text: string;
}

type Path = readonly (string | number)[];
type Edit = (holder: Record<string | number, Json>, key: string | number) => void;
type Add = (change: string, node: LocatedNode, path: Path, edit: Edit) => void;

/** What it says is for readers and the checker. */
const SILENT = 'acknowledge';

function createMutants({ documents, resources }: Analysis, registry: Registry): Mutant[] {
  const ids = new Set(resources.map(({ id }) => id));
  return [...documents.values()].flatMap((doc) => {
    const { root } = parseSource(doc);
    if (root === null) return [];
    return listEntries(root).flatMap((entry, at) => {
      const resource = String(findMember(entry, 'id')?.value?.scalar ?? '');
      if (!ids.has(resource)) return [];
      const found: Mutant[] = [];
      const before: Path = root.type === 'array' ? [at] : [];
      const add: Add = (change, node, path, edit) => {
        const json = structuredClone(toJson(root));
        applyEdit(json, [...before, ...path], edit);
        found.push({ resource, change, doc, range: rangeAt(doc, node.start, node.end), text: JSON.stringify(json) });
      };
      collectChanges(registry, levelAt(registry, entry, ROOT_FIELDS.resource), [], add);
      return found;
    });
  });
}

function applyEdit(json: Json, path: Path, edit: Edit): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string | number, Json>)[key] as Json, json);
  edit(holder as Record<string | number, Json>, path.at(-1) ?? '');
}

const removeKey: Edit = (holder, key) => void delete holder[key];

function collectChanges(registry: Registry, level: Level, path: Path, add: Add): void {
  const { node, field } = level;
  if (node === null) return;
  for (const child of listChildLevels(registry, level)) {
    const { key } = child;
    if (key === null || key === SILENT || child.node === null || child.field === null) continue;
    const here = [...path, key];
    const isMember = typeof key === 'string';
    const isDefault = child.field.meta.default !== undefined && child.field.meta.default === child.node.scalar;
    if (isMember && !child.field.required && !isDefault) add(`without "${key}"`, child.node, here, removeKey);
    if (child.field.meta.language === 'sql') addConditions(child.node, here, add);
    const isBound = node.members.some((member) => bindsOf(level, member.key) === key);
    if (isBound && field !== null) addSwaps(child.node, here, add);
    collectChanges(registry, child, here, add);
  }
}

const bindsOf = ({ expansion }: Level, key: string): string | undefined => expansion?.fields.get(key)?.field.meta.binds;

function addSwaps({ items }: LocatedNode, path: Path, add: Add): void {
  for (const [at, item] of items.entries()) {
    const next = items[at + 1];
    if (next === undefined || JSON.stringify(toJson(item)) === JSON.stringify(toJson(next))) continue;
    add(`with $${at + 1} and $${at + 2} swapped`, item, [...path, at], (holder, key) => {
      const first = Number(key);
      [holder[first], holder[first + 1]] = [holder[first + 1] ?? null, holder[first] ?? null];
    });
  }
}

const ENDS = new Set([
  'AND',
  'OR',
  'ORDER',
  'GROUP',
  'HAVING',
  'LIMIT',
  'OFFSET',
  'RETURNING',
  'FOR',
  'UNION',
  'ON',
  'WINDOW',
]);

/** Each condition behind WHERE and AND, at the depth of its clause. */
function addConditions(node: LocatedNode, path: Path, add: Add): void {
  const text = String(node.scalar);
  const { tokens } = tokenizeSql(text);
  let depth = 0;
  let clause = -1;
  let start = -1;
  const close = (end: number): void => {
    const condition = text.slice(start, end).trim();
    if (start !== -1 && condition !== '' && !/^\w*\s*BETWEEN\b/i.test(condition)) {
      const changed = `${text.slice(0, start)} (${condition} OR TRUE) ${text.slice(end)}`;
      add(`without the condition "${condition}"`, node, path, (holder, key) => void (holder[key] = changed));
    }
    start = -1;
  };
  for (const token of tokens) {
    const word = text.slice(token.start, token.end).toUpperCase();
    if (token.type === 'open') depth++;
    if (token.type === 'close') {
      depth--;
      if (depth < clause) [clause] = [-1, close(token.start)];
    }
    if (depth === clause && ENDS.has(word)) {
      close(token.start);
      if (word === 'AND' || word === 'OR') start = token.end;
      else clause = -1;
    }
    if (word === 'WHERE') [clause, start] = [depth, token.end];
  }
  close(text.length);
}

export interface MutantRun extends CaseContext {
  readonly cases: readonly TestCase[];
  /** Other cases are there too: resources that none of these calls are left out. */
  readonly isPart: boolean;
  /** Sets the text of a file in place of that on disk; null: that on disk. */
  readonly overlay: (file: string, text: string | null) => void;
  readonly terminal: Terminal;
}

type Fate = 'noticed' | 'survived' | 'rejected';

export async function runMutants(run: MutantRun): Promise<void> {
  const { server, overlay, terminal } = run;
  const { kernel } = server;
  const paint = createPaint(terminal);
  const counts: Record<Fate, number> = { noticed: 0, survived: 0, rejected: 0 };
  const reported = countProblems(kernel.analysis());
  const calls = new Map(run.cases.map((test) => [test, listCalls(server, test)]));
  for (const mutant of createMutants(kernel.analysis(), kernel.project.registry)) {
    const { doc, range, resource, change } = mutant;
    const relevant = run.cases.filter((test) => calls.get(test)?.has(resource) === true);
    if (run.isPart && relevant.length === 0) continue;
    overlay(doc.file, mutant.text);
    const fate = await decideFate(run, relevant, reported);
    overlay(doc.file, null);
    counts[fate]++;
    if (fate !== 'survived') continue;
    const how = relevant.length === 0 ? 'no case calls it' : `${relevant.length} case(s) call it, and pass`;
    const message = `"${resource}" ${change}: ${how}`;
    const problem = { file: doc.file, range, severity: 'warning' as const, code: 'survived', message, related: [] };
    terminal.stdout.write(`\n${formatCodeFrame(problem, doc, paint)}\n`);
  }
  await kernel.reload();
  const { noticed, survived, rejected } = counts;
  terminal.stdout.write(`\n${noticed} of ${noticed + survived} changes noticed, ${survived} not`);
  terminal.stdout.write(`; the checker reports ${rejected}\n`);
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

/** `reported`: before the change. */
async function decideFate(
  { server, ...context }: MutantRun,
  relevant: readonly TestCase[],
  reported: Counts,
): Promise<Fate> {
  const { kernel } = server;
  const outcome = await kernel.reload();
  if (!outcome.applied) return 'rejected';
  for (const test of relevant) if ((await runCase({ server, ...context }, test)).failures.length > 0) return 'noticed';
  // The author sees a new warning as well.
  const isReported = [...countProblems(kernel.analysis())].some(([key, count]) => count > (reported.get(key) ?? 0));
  return isReported ? 'rejected' : 'survived';
}
