/** Links the names in test files: resources, tables, columns, codes, and saved values. */
import type { Document } from '../../source/document.js';
import { locateInString } from '../../source/escapes.js';
import { findNearest } from '../../source/suggest.js';
import { findMember, type LocatedNode, type Member } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { createRenameFix, formatHint, isInside, type Report } from '../report.js';
import type { StageCache } from '../stage-cache.js';
import type { Steps } from '../steps.js';
import type { TableNames } from '../tables.js';

export interface TestNames {
  /** Another object when the names of tables or columns change. */
  readonly tables: TableNames;
  readonly models: readonly Definition[];
  /** By id. */
  readonly paths: ReadonlyMap<string, string>;
}

interface TestContext extends TestNames {
  readonly registry: Registry;
}

/** A table in `given`, a step or `expect`, and the columns that each row names. */
export interface TestTable {
  readonly table: Member;
  readonly all: readonly Member[];
  readonly rows: readonly (readonly Member[])[];
}

export function listTestTables({ node }: Definition): TestTable[] {
  const cases = listCases(node);
  return [
    ...[node, ...cases].flatMap((one) =>
      ['given', 'expect'].flatMap((name) => listTables(findValue(findValue(one, name), 'tables'))),
    ),
    ...cases
      .flatMap((one) => listItems(one, 'steps'))
      .flatMap((step) => [
        ...['insert', 'delete'].flatMap((name) => listTables(findValue(step, name))),
        ...listTables(findValue(step, 'update'), ['where', 'set']),
      ]),
  ];
}

/** `parts`: the rows in each item. */
const listTables = (holder: LocatedNode | null, parts: readonly string[] = []): TestTable[] =>
  (holder?.members ?? []).map((table, _at, all) => ({
    table,
    all,
    rows: (table.value?.items ?? [])
      .flatMap((item) => (parts[0] === undefined ? [item] : parts.flatMap((part) => findValue(item, part) ?? [])))
      .map(({ members }) => members),
  }));

export const findValue = (node: LocatedNode | null, name: string): LocatedNode | null =>
  (node && findMember(node, name)?.value) ?? null;

export const listItems = (node: LocatedNode | null, name: string): readonly LocatedNode[] =>
  findValue(node, name)?.items ?? [];

const listCases = (node: LocatedNode): readonly LocatedNode[] => listItems(node, 'cases');

export function* checkTests(
  { registry, memory, report }: { readonly registry: Registry; readonly memory: StageCache; readonly report: Report },
  tests: readonly Definition[],
  names: TestNames,
): Steps<void> {
  yield* memory.getOrComputeAll(tests, report, {
    name: 'tests',
    reads: [names.tables, names.paths],
    compute: (one, own) => checkTestFile({ ...names, registry }, one, own),
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
  for (const holder of [node, ...cases])
    for (const file of listItems(findValue(holder, 'given'), 'files')) checkContent(doc, report, file);
  for (const step of cases.flatMap((one) => listItems(one, 'steps'))) {
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
  checkSaved(definition, report, cases);
  for (const one of cases) checkClients(definition, report, listItems(one, 'steps'));
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
  for (const row of rows) {
    for (const { key: name, keyStart: start, keyEnd: end } of row) {
      if (known.includes(name) || stored.includes(name)) continue;
      const near = findNearest(name, omitWritten(known, row));
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
      else if (!names.includes(name)) {
        const near = findNearest(name, names);
        report.add('TST_UNSAVED', spot, { name, hint: formatHint(near && `$SAVED.${near}`) });
      }
    }
  }
}
