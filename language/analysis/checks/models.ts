/** Checks that field names are valid column names, and that foreign keys can be enforced. */
import { asText } from '../../../contract/json.js';
import { Slot } from '../../../contract/slot.js';
import { findMember, type LocatedNode, type Member } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { createCaseCause } from '../report.js';
import type { Report, SourceLocation } from '../report.js';
import type { TableNames } from '../tables.js';
import type { UniqueFields } from '../uniques.js';

export interface ModelCheck {
  readonly definitions: readonly Definition[];
  readonly tables: TableNames;
  readonly uniques: UniqueFields;
  readonly registry: Registry;
  readonly report: Report;
}

const FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Databases silently truncate longer names. */
const LONGEST = 63;

export function checkModels(check: ModelCheck): void {
  const models = check.definitions.filter(({ sort }) => sort === 'model');
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const model of models) {
    for (const member of model.node.members) {
      checkFieldName(check.report, model, member);
      const reference = member.value && findMember(member.value, 'foreign_key')?.value;
      if (member.value && reference) checkReference(check, byName, model, member.value, reference);
    }
  }
}

const toLocation = ({ doc }: Definition, { start, end }: { start: number; end: number }): SourceLocation => ({
  doc,
  start,
  end,
});

function checkFieldName(report: Report, model: Definition, { key, keyStart, keyEnd }: Member): void {
  const spot = toLocation(model, { start: keyStart, end: keyEnd });
  if (key === '') report.add('DEF_EMPTY', spot, { place: 'the name of a field' });
  else if (!FIELD.test(key) || key.length > LONGEST) report.add('LNK_FIELD_NAME', spot, { name: key, max: LONGEST });
  else if (key !== key.toLowerCase())
    report.add('LNK_FIELD_CASE', spot, { name: key, lower: key.toLowerCase() }, { cause: createCaseCause(key) });
}

function checkReference(
  { tables, uniques, registry, report }: ModelCheck,
  models: ReadonlyMap<string, Definition>,
  model: Definition,
  field: LocatedNode,
  reference: LocatedNode,
): void {
  const key = findMember(reference, 'key')?.value;
  const target = models.get(tables.findModel(asText(findMember(reference, 'of')?.value?.scalar)) ?? '');
  const name = asText(key?.scalar);
  const referred = target && findMember(target.node, name)?.value;
  if (!key || !target || !referred) return;
  const [own, other] = [getColumnType(registry, field), getColumnType(registry, referred)];
  if (own.column !== null && other.column !== null && own.column !== other.column) {
    const params = { own: own.type, model: target.name, name, other: other.type };
    report.add('LNK_FOREIGN_TYPE', toLocation(model, key), params);
  }
  if (!isSingle(target, name, uniques))
    report.add('LNK_FOREIGN_TARGET', toLocation(model, key), { model: target.name, name });
}

function getColumnType(
  registry: Registry,
  field: LocatedNode,
): { readonly type: string; readonly column: string | null } {
  const type = asText(findMember(field, 'type')?.value?.scalar);
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0];
  const column = kind && registry.plugin(kind.kind, type)?.facts?.column;
  return { type, column: typeof column === 'string' ? column : null };
}

/** True if the field alone is the primary key or unique. */
function isSingle(target: Definition, name: string, uniques: UniqueFields): boolean {
  const keys = target.node.members.filter(
    ({ value }) => value && findMember(value, 'primary_key')?.value?.scalar === true,
  );
  if (keys.length === 1 && keys[0]?.key === name) return true;
  return uniques.get(target.name)?.some((fields) => fields.length === 1 && fields[0] === name) === true;
}
