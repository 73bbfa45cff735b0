/** Checks the types of `parameters` and payload rules against their columns. Skips casts and calculations. */
import { RIGHT, canStoreValue } from '../../../contract/column-values.js';
import type { ColumnUse } from '../../../contract/statement-text.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { PluginFacts } from '../../../contract/plugin.js';
import { Slot } from '../../../contract/slot.js';
import { listAccessors } from '../../strings/accessor.js';
import { findMember, toJson, type LocatedNode } from '../../source/tree.js';
import type { SqlText } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { type Report, type SourceLocation, isInside } from '../report.js';
import { getLiteralValue } from '../verbatim.js';
import { listPayloadReaders } from './readers.js';

/** Placeholders bound to columns. */
export type ColumnUsesByStatement = Map<SqlText, readonly ColumnUse[]>;

export interface ValueContext {
  readonly registry: Registry;
  readonly resource: LinkedResource;
  readonly action: LinkedAction;
}

interface Context extends ValueContext {
  readonly report: Report;
  /** Rules that are already reported. */
  readonly reported: Set<LocatedNode>;
}

export function checkTypes(
  resources: readonly LinkedResource[],
  columnUses: ColumnUsesByStatement,
  given: Pick<Context, 'registry' | 'report'>,
): void {
  const reported = new Set<LocatedNode>();
  for (const resource of resources) {
    for (const statement of resource.definition.finds.statements) {
      const action = resource.actions.find(({ node }) => isInside(statement.node, node));
      if (action === undefined) continue;
      for (const use of listFirstUses(columnUses.get(statement) ?? [])) {
        const node = statement.parameters[use.n - 1];
        if (node !== undefined && !isCast(statement, use.n))
          checkValue({ ...given, resource, action, reported }, statement, use, node);
      }
    }
  }
}

/** Prefers the use that writes. */
function listFirstUses(uses: readonly ColumnUse[]): ColumnUse[] {
  const order = [...uses].sort((a, b) => Number(b.writes) - Number(a.writes));
  return order.filter((use, i) => order.findIndex(({ n }) => n === use.n) === i);
}

/** A cast at any use of the parameter determines its type. */
const isCast = ({ language, scan }: SqlText, n: number): boolean => language.isCast(scan, n);

function checkValue(context: Context, statement: SqlText, use: ColumnUse, node: LocatedNode): void {
  const field = isObject(use.field) ? use.field : {};
  const column = getColumnType(context.registry, field);
  if (column === null) return;
  const path = findPayloadPath(context, node);
  if (path !== null) {
    // Items of a list have fields of their own.
    if (statement.each === null) checkRule(context, use, field, column, node, path);
    return;
  }
  const actual = describeMismatch(context, node, column);
  if (actual === null) return;
  const params = { column: use.column, type: asText(field['type']), actual, right: RIGHT[column] ?? '' };
  context.report.add('SQL_TYPE', toLocation(context, node), params);
}

const toLocation = ({ resource }: Context, { start, end }: LocatedNode): SourceLocation => ({
  doc: resource.definition.doc,
  start,
  end,
});

export function getColumnFacts(registry: Registry, field: Readonly<Record<string, Json>>): PluginFacts {
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0];
  return (kind && registry.plugin(kind.kind, asText(field['type']))?.facts) ?? {};
}

export const getColumnType = (registry: Registry, field: Readonly<Record<string, Json>>): string | null =>
  getColumnFacts(registry, field).column ?? null;

/** Null if the parameter is not a payload field. */
export function findPayloadPath({ registry, action }: ValueContext, node: LocatedNode): readonly string[] | null {
  if (node.type !== 'string') return null;
  const text = String(node.scalar);
  const [only] = listAccessors(text);
  if (only === undefined) return action.parameters.get(node.pointer)?.from === 'payload' ? text.split('.') : null;
  const whole = only.start === 0 && only.end === text.length && listPayloadReaders(registry).includes(only.root);
  return whole && only.tail.length > 0 ? only.tail : null;
}

/** Null if the column accepts the value or nothing is certain. */
function describeMismatch({ registry, action }: Context, node: LocatedNode, column: string): string | null {
  const json = getLiteralValue(node);
  if (node.type === 'string' && typeof json === 'string') {
    const [only] = listAccessors(json);
    if (only !== undefined) {
      if (only.start !== 0 || only.end !== json.length) return null;
      const isPayload = only.tail.length === 0 && listPayloadReaders(registry).includes(only.root);
      if (isPayload) return column === 'json' ? null : 'the whole payload';
      return describeAccessor(registry, only.root, column);
    }
    if (action.parameters.get(node.pointer)?.source === 'name') return null;
  }
  if (canStoreValue(column, json)) return null;
  if (json !== null && typeof json === 'object') return Array.isArray(json) ? 'a list' : 'an object';
  return typeof json === 'string' ? 'this text' : String(json);
}

const OF_TEXT = new Set(['integer', 'float', 'boolean', 'timestamp']);
const OF_INSTANT = new Set(['integer', 'float', 'boolean']);

/** Only accessors that always have the same type. */
function describeAccessor(registry: Registry, root: string, column: string): string | null {
  const kind = registry.listKinds(Slot.ACCESSOR)[0];
  const gives = kind && registry.plugin(kind.kind, root)?.facts?.gives;
  if (gives === 'text' && OF_TEXT.has(column)) return `the text of $${root}`;
  return gives === 'timestamp' && OF_INSTANT.has(column) ? `the instant of $${root}` : null;
}

interface Rule {
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  /** The type of the accepted values. */
  readonly jsType: string;
}

function checkRule(
  context: Context,
  use: ColumnUse,
  field: Readonly<Record<string, Json>>,
  column: string,
  node: LocatedNode,
  path: readonly string[],
): void {
  const rule = findRule(context, path);
  if (rule === null) return;
  const name = path.join('.');
  const words = { name, column: use.column, type: asText(field['type']) };
  if (CANNOT[rule.jsType]?.includes(column) === true) {
    const right = suggestRule(context.registry, column);
    context.report.add('SQL_RULE', toLocation(context, node), { ...words, rule: asText(rule.value['type']), right });
    return;
  }
  if (!use.writes) return;
  const needed = field['optional'] !== true && field['auto_increment'] !== true && field['default'] === undefined;
  if (rule.value['optional'] === true && needed) context.report.add('SQL_OPTIONAL', toLocation(context, node), words);
  const [most, longest] = [rule.value['max_length'], field['max_length']];
  const bound = findMember(rule.node, 'max_length')?.value;
  if (
    typeof most !== 'number' ||
    typeof longest !== 'number' ||
    most <= longest ||
    !bound ||
    context.reported.has(bound)
  )
    return;
  context.reported.add(bound);
  context.report.add('SQL_LONGER', toLocation(context, bound), { ...words, most, longest });
}

/** Column types that reject almost every value of a JSON type. */
const CANNOT: Readonly<Record<string, readonly string[]>> = {
  string: ['integer', 'float'],
  number: ['boolean', 'timestamp'],
  array: ['integer', 'float', 'boolean', 'timestamp', 'text'],
  object: ['integer', 'float', 'boolean', 'timestamp', 'text'],
};
const FITTING: Readonly<Record<string, string>> = { integer: 'number', float: 'number' };

function suggestRule({ plugins }: Registry, column: string): string {
  const wanted = FITTING[column];
  const spec = [...plugins.values()].find(({ facts }) => wanted !== undefined && facts?.jsType === wanted);
  return spec === undefined ? 'put a cast into the statement' : `use ${spec.name}, or put a cast into the statement`;
}

/** Null if there are several rules, or a step changes the value before. */
export function findRule(
  { registry, resource, action }: ValueContext,
  [root = '', ...rest]: readonly string[],
): Rule | null {
  const { declarations } = resource.definition.finds;
  const isChanged = declarations.some(
    ({ symbol, name, spot }) => symbol === 'secret' && name.split('.')[0] === root && isInside(spot, action.node),
  );
  const rules = declarations.filter(({ symbol, name }) => symbol === 'payload-field' && name === root);
  const [only, other] = rules;
  if (isChanged || only === undefined || other !== undefined) return null;
  let node: LocatedNode | null = only.node;
  for (const segment of rest) {
    const fields: LocatedNode | null = (node && findMember(node, 'fields')?.value) ?? null;
    node = (fields && findMember(fields, segment)?.value) ?? null;
  }
  if (node === null) return null;
  const value = toJson(node);
  const type = isObject(value) ? asText(value['type']) : '';
  const spec = [...registry.plugins.values()].find(({ name, facts }) => name === type && facts?.jsType !== undefined);
  const jsType = spec?.facts?.jsType;
  return isObject(value) && typeof jsType === 'string' ? { node, value, jsType } : null;
}
