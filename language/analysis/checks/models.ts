/** Checks that field names are valid column names, and that a database can enforce foreign keys. Shapes are checked earlier. */
import { asText } from '../../../contract/json.js';
import { Slot } from '../../../contract/slot.js';
import { memberOf, type LocatedNode, type Member } from '../../source/tree.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import type { Report, Spot } from '../report.js';
import type { TableNames } from '../tables.js';
import type { Uniques } from '../uniques.js';

export interface ModelCheck {
  readonly definitions: readonly Definition[];
  readonly tables: TableNames;
  readonly uniques: Uniques;
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
      judgeName(check.report, model, member);
      const reference = member.value && memberOf(member.value, 'foreign_key')?.value;
      if (member.value && reference) judgeReference(check, byName, model, member.value, reference);
    }
  }
}

const spotOf = ({ doc }: Definition, { start, end }: { start: number; end: number }): Spot => ({ doc, start, end });

function judgeName(report: Report, model: Definition, { key, keyStart, keyEnd }: Member): void {
  const spot = spotOf(model, { start: keyStart, end: keyEnd });
  if (key === '') report.add('DEF_EMPTY', spot, { place: 'the name of a field' });
  else if (!FIELD.test(key) || key.length > LONGEST) report.add('LNK_FIELD_NAME', spot, { name: key, max: LONGEST });
  else if (key !== key.toLowerCase()) report.add('LNK_FIELD_CASE', spot, { name: key, lower: key.toLowerCase() });
}

function judgeReference(
  { tables, uniques, registry, report }: ModelCheck,
  models: ReadonlyMap<string, Definition>,
  model: Definition,
  field: LocatedNode,
  reference: LocatedNode,
): void {
  const key = memberOf(reference, 'key')?.value;
  const target = models.get(tables.modelOf(asText(memberOf(reference, 'of')?.value?.scalar)) ?? '');
  const name = asText(key?.scalar);
  const referred = target && memberOf(target.node, name)?.value;
  if (!key || !target || !referred) return;
  const [own, other] = [columnOf(registry, field), columnOf(registry, referred)];
  if (own.column !== null && other.column !== null && own.column !== other.column) {
    const params = { own: own.type, model: target.name, name, other: other.type };
    report.add('LNK_FOREIGN_TYPE', spotOf(model, key), params);
  }
  if (!isSingle(target, name, uniques))
    report.add('LNK_FOREIGN_TARGET', spotOf(model, key), { model: target.name, name });
}

function columnOf(registry: Registry, field: LocatedNode): { readonly type: string; readonly column: string | null } {
  const type = asText(memberOf(field, 'type')?.value?.scalar);
  const kind = registry.kindsIn(Slot.MODEL_FIELD)[0];
  const column = kind && registry.plugin(kind.kind, type)?.facts?.['column'];
  return { type, column: typeof column === 'string' ? column : null };
}

/** True if the field alone is the primary key or unique. */
function isSingle(target: Definition, name: string, uniques: Uniques): boolean {
  const keys = target.node.members.filter(
    ({ value }) => value && memberOf(value, 'primary_key')?.value?.scalar === true,
  );
  if (keys.length === 1 && keys[0]?.key === name) return true;
  return uniques.get(target.name)?.some((fields) => fields.length === 1 && fields[0] === name) === true;
}
