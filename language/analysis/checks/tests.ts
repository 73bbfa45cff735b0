/** Links the names in test files: resources, tables, columns, codes, and saved values. */
import type { Document } from '../../source/document.js';
import { locateInString } from '../../source/escapes.js';
import { findNearest } from '../../source/suggest.js';
import { findMember, type LocatedNode, type Member } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { createRenameFix, formatHint, isInside, type Report } from '../report.js';
import type { Lookups, StageCache } from '../stage-cache.js';
import type { Steps } from '../steps.js';
import type { Stores } from '../stores.js';
import type { TableNames } from '../tables.js';
import { compilePattern } from '../validate-node.js';
import { findValue, listCases, listItems, listTestTables, type TestTable } from '../test-tables.js';
import { checkRows, type TestedModels } from './test-rows.js';

export interface TestNames {
  /** Another object when the names of tables or columns change. */
  readonly tables: TableNames;
  readonly models: readonly Definition[];
  /** By id. */
  readonly paths: ReadonlyMap<string, string>;
  readonly stores: Stores;
  /** Tables may have other rows than those of the tests, and columns that the models do not describe. */
  readonly isSeeded: boolean;
}

interface TestContext extends TestNames {
  readonly registry: Registry;
}

export function* checkTests(
  { registry, memory, report }: { readonly registry: Registry; readonly memory: StageCache; readonly report: Report },
  tests: readonly Definition[],
  names: TestNames,
): Steps<void> {
  const { tables, paths, models, stores, isSeeded } = names;
  const source: TestedModels = { stores, models: new Map(models.map((one) => [one.name, one])) };
  yield* memory.getOrLookUpAll(memory.splitIntoBlocks('tests', tests), report, {
    name: 'tests',
    reads: [tables, paths, isSeeded],
    source,
    compute: (one, lookups: Lookups<TestedModels>, own) => {
      const tested = { registry, tables, isSeeded, lookups };
      checkTestFile({ ...names, registry }, one, own);
      checkRows(tested, one, own);
    },
  });
}

function checkTestFile(context: TestContext, definition: Definition, report: Report): void {
  const { doc, node, finds } = definition;
  for (const { refers, name, spot } of finds.references) {
    if (refers.symbol !== 'resource' || context.paths.has(String(name))) continue;
    const near = findNearest(String(name), context.paths.keys());
    report.add('LNK_UNKNOWN_RESOURCE', spot, { name, hint: formatHint(near) }, createRenameFix(near));
  }
  for (const table of listTestTables(definition)) checkTable(context, definition, report, table);
  const cases = listCases(node);
  for (const given of [node, ...cases].map((one) => findValue(one, 'given'))) {
    for (const file of listItems(given, 'files')) checkContent(doc, report, file);
    for (const one of listItems(given, 'identifiers')) checkIdentifiers(context, doc, report, one);
  }
  for (const step of cases.flatMap((one) => listItems(one, 'steps'))) {
    checkStep(doc, report, step);
    const request = findValue(step, 'request');
    if (request?.type === 'object' && !['resource', 'path'].some((name) => findMember(request, name)))
      report.add(
        'DEF_REQUIRED',
        { doc, start: request.start, end: request.start + 1 },
        { place: '"request"', field: 'resource' },
      );
    for (const file of listItems(request, 'files')) checkContent(doc, report, file);
    const code = findValue(findValue(findValue(step, 'expect'), 'problem'), 'code');
    if (code !== null) checkCode(context, definition, report, code);
  }
  checkCaseNames(doc, report, cases);
  checkSaved(definition, report, cases);
  for (const one of cases) checkClients(definition, report, listItems(one, 'steps'));
}

const ANSWERED = ['request', 'connect', 'receive'];
const WORK = [...ANSWERED, 'disconnect', 'wait', 'run', 'insert', 'update', 'delete'];

/** A step does something, and only a response is compared or saved. */
function checkStep(doc: Document, report: Report, { type, start, members }: LocatedNode): void {
  if (type !== 'object') return;
  const isDone = (names: readonly string[]): boolean => members.some(({ key }) => names.includes(key));
  const add = (place: string, from: number, names: readonly string[]): void =>
    report.add(
      'DEF_CHOICE_MISSING',
      { doc, start: from, end: from + 1 },
      { place, expected: names.map((name) => `"${name}"`).join(', ') },
    );
  const compared = members.find(({ key }) => key === 'expect' || key === 'save');
  if (compared !== undefined && !isDone(ANSWERED)) add(`A step with "${compared.key}"`, start, ANSWERED);
  else if (!isDone(WORK)) add('A step', start, WORK);
}

function checkCaseNames(doc: Document, report: Report, cases: readonly LocatedNode[]): void {
  const known = new Set<string>();
  for (const id of cases.map((one) => findValue(one, 'id'))) {
    if (id?.type !== 'string') continue;
    const name = String(id.scalar);
    if (known.has(name)) report.add('TST_DUPLICATE', { doc, start: id.start, end: id.end }, { name });
    known.add(name);
  }
}

function checkIdentifiers({ registry }: TestContext, doc: Document, report: Report, listed: LocatedNode): void {
  const name = String(findValue(listed, 'generator')?.scalar);
  const { pattern, length = 0 } = registry.plugin('generator', name)?.facts ?? {};
  if (pattern === undefined) return;
  for (const { type, scalar, start, end } of listItems(listed, 'values')) {
    if (type !== 'string' || compilePattern(`^(?:${pattern})$`).test(String(scalar))) continue;
    report.add('TST_IDENTIFIER', { doc, start, end }, { generator: name, value: `"${scalar}"`, length, pattern });
  }
}

const CONTENTS = ['text', 'base64', 'path'];

function checkContent(doc: Document, report: Report, file: LocatedNode): void {
  if (file.type !== 'object') return;
  const [, second, ...others] = file.members.filter(({ key }) => CONTENTS.includes(key));
  const params = { place: 'This file', expected: CONTENTS.map((name) => `"${name}"`).join(', ') };
  const isMissing = !file.members.some(({ key }) => CONTENTS.includes(key));
  if (isMissing) report.add('DEF_CHOICE_MISSING', { doc, start: file.start, end: file.start + 1 }, params);
  for (const one of second === undefined ? [] : [second, ...others])
    report.add('DEF_CHOICE_MANY', { doc, start: one.keyStart, end: one.keyEnd }, params);
}

/** A client is connected by an earlier step of the same case. */
function checkClients({ doc }: Definition, report: Report, steps: readonly LocatedNode[]): void {
  const connected = new Set<string>();
  for (const step of steps) {
    const uses = [
      findValue(findValue(step, 'request'), 'client'),
      findValue(step, 'receive'),
      findValue(step, 'disconnect'),
    ];
    for (const used of uses) {
      if (used?.type !== 'string' || connected.has(String(used.scalar))) continue;
      const near = findNearest(String(used.scalar), [...connected]);
      const spot = { doc, start: used.start, end: used.end };
      report.add('TST_UNCONNECTED', spot, { name: String(used.scalar), hint: formatHint(near) }, createRenameFix(near));
    }
    const client = findValue(findValue(step, 'connect'), 'client');
    if (client?.type === 'string') connected.add(String(client.scalar));
  }
}

function checkTable(
  { tables, models, registry }: TestContext,
  { doc }: Definition,
  report: Report,
  { table: { key, keyStart, keyEnd }, all, rows }: TestTable,
): void {
  const model = tables.findModel(key);
  if (model === undefined) {
    const near = findNearest(
      key,
      omitWritten(
        models.map(({ name }) => tables.getTable(name)),
        all,
      ),
    );
    const spot = { doc, start: keyStart, end: keyEnd };
    report.add('LNK_UNKNOWN_MODEL', spot, { name: key, hint: formatHint(near) }, createRenameFix(near));
    return;
  }
  const stored = [...registry.kinds.values()].flatMap(({ config }) => config?.models?.key ?? []);
  const known = tables.listFields(model);
  for (const { node } of rows) {
    for (const { key: name, keyStart: start, keyEnd: end } of node.members) {
      if (known.includes(name) || stored.includes(name)) continue;
      const near = findNearest(name, omitWritten(known, node.members));
      const params = { model, name, hint: formatHint(near) };
      report.add('LNK_UNKNOWN_FIELD', { doc, start, end }, params, createRenameFix(near));
    }
  }
}

/** Another name of the object would be there twice. */
const omitWritten = (names: readonly string[], members: readonly Member[]): string[] =>
  names.filter((name) => !members.some(({ key }) => key === name));

function checkCode({ registry: { codes } }: TestContext, { doc }: Definition, report: Report, node: LocatedNode): void {
  const all = Object.keys(codes).filter((code) => codes[code]?.status !== undefined);
  const code = String(node.scalar);
  if (node.type !== 'string' || all.includes(code)) return;
  const near = findNearest(code, all);
  const params = { actual: `"${code}"`, place: '"code"', expected: 'a code of the reference', hint: formatHint(near) };
  report.add('DEF_VALUE', { doc, start: node.start, end: node.end }, params, createRenameFix(near));
}

/** `$SAVED.name` reads what an earlier step of the same case saves, or what `values` of `given` has. */
function checkSaved({ doc, finds, node: file }: Definition, report: Report, cases: readonly LocatedNode[]): void {
  const listValues = (of: LocatedNode | null): readonly Member[] =>
    findValue(findValue(of, 'given'), 'values')?.members ?? [];
  for (const { node, parts } of finds.accessors) {
    const around = cases.find((one) => isInside(node, one)) ?? null;
    const steps = listItems(around, 'steps');
    const saved = steps.flatMap((step) =>
      step.start > node.start || isInside(node, step) ? [] : (findValue(step, 'save')?.members ?? []),
    );
    const names = [...listValues(file), ...listValues(around), ...saved].map(({ key }) => key);
    for (const part of parts) {
      const spot = locateInString(doc, node, part);
      const { root, tail } = part;
      const [name = ''] = tail;
      if (root !== 'SAVED') report.add('ACC_NOT_HERE', spot, { root, place: 'this test', expected: '$SAVED' });
      else if (name === '')
        report.add('ACC_TAIL', spot, { accessor: '$SAVED', what: 'needs the name of a saved value' });
      else if (!names.includes(name)) {
        const near = findNearest(name, names);
        report.add('TST_UNSAVED', spot, { name, hint: formatHint(near && `$SAVED.${near}`) });
      }
    }
  }
}
