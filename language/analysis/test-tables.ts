/** The parts of test files: cases, steps, and tables with their rows. */
import { findMember, type LocatedNode, type Member } from '../source/tree.js';
import type { Definition } from './model.js';

export const findValue = (node: LocatedNode | null, name: string): LocatedNode | null =>
  (node && findMember(node, name)?.value) ?? null;

export const listItems = (node: LocatedNode | null, name: string): readonly LocatedNode[] =>
  findValue(node, name)?.items ?? [];

export const listCases = (node: LocatedNode): readonly LocatedNode[] => listItems(node, 'cases');

/** A row of a test, or a part of one. */
export interface TestRow {
  readonly node: LocatedNode;
  /** What becomes of its values: a new row has them, other rows get them, or they are compared with rows. */
  readonly use: 'insert' | 'set' | 'compare';
}

/** A table in `given`, a step or `expect`, with its rows. */
export interface TestTable {
  readonly table: Member;
  readonly all: readonly Member[];
  readonly rows: readonly TestRow[];
}

export const listMembers = ({ rows }: TestTable): Member[] => rows.flatMap(({ node }) => node.members);

export function listTestTables({ node }: Definition): TestTable[] {
  const cases = listCases(node);
  return [
    ...[node, ...cases].flatMap((one) => [
      ...listTables(findValue(findValue(one, 'given'), 'tables'), 'insert'),
      ...listTables(findValue(findValue(one, 'expect'), 'tables'), 'compare'),
    ]),
    ...cases
      .flatMap((one) => listItems(one, 'steps'))
      .flatMap((step) => [
        ...listTables(findValue(step, 'insert'), 'insert'),
        ...listTables(findValue(step, 'delete'), 'compare'),
        ...listTables(findValue(step, 'update'), null),
      ]),
  ];
}

/** `use`: null where an item has a row of each. */
export const listTables = (holder: LocatedNode | null, use: TestRow['use'] | null): TestTable[] =>
  (holder?.members ?? []).map((table, _at, all) => ({
    table,
    all,
    rows: (table.value?.items ?? []).flatMap((item): TestRow[] => {
      if (use !== null) return [{ node: item, use }];
      const [where, set] = [findValue(item, 'where'), findValue(item, 'set')];
      return [
        ...(where === null ? [] : [{ node: where, use: 'compare' as const }]),
        ...(set === null ? [] : [{ node: set, use: 'set' as const }]),
      ];
    }),
  }));
