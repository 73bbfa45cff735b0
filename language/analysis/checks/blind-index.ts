/** Checks `blind_index` fields: values must be encrypted, comparisons suit the index, and the store have tables. */
import type { BlindTable } from '../../../contract/statement-text.js';
import { asText } from '../../../contract/json.js';
import { BLIND } from '../../../contract/model.js';
import { findMember } from '../../source/tree.js';
import type { LinkedResource } from '../linked-resource.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { isInside, type Report } from '../report.js';
import type { Stores } from '../stores.js';
import { locateInText, type TableNames } from '../tables.js';
import { isProtected, isCoveredByItem } from './protections.js';
import { listPayloadReaders } from './readers.js';

export interface BlindCheck {
  readonly tables: TableNames;
  readonly registry: Registry;
  readonly report: Report;
}

const LATER = 'another actionable encrypts the value, and this one, which is done later, sees the ciphertext alone';

export function checkBlind(resources: readonly LinkedResource[], { tables, registry, report }: BlindCheck): void {
  const readers = listPayloadReaders(registry);
  for (const { definition, actions } of resources) {
    const sealed = definition.finds.references.filter(isProtected);
    for (const { node, language, scan, parameters } of definition.finds.statements) {
      const rewritten = language.findBlindUses(scan, listBlindTables(scan.tables, tables));
      if (rewritten === null) continue;
      for (const { column, what, start, end } of rewritten.faults)
        report.add('LNK_BLIND_FORM', locateInText(definition, node, { start, end }), { column, what });
      const action = actions.find((one) => isInside(node, one.node));
      const isLater = action?.timing.later === true || action?.timing.scheduled === true;
      for (const { n, blind, written } of rewritten.parameters) {
        const value = parameters[n - 1];
        if (blind === null || value === undefined || value.type === 'null') continue;
        const text = asText(value.scalar);
        const by = sealed.filter(({ name }) => isCoveredByItem(text, String(name), readers));
        const spot = { doc: definition.doc, start: value.start, end: value.end };
        if (isLater && by.length > 0 && !by.some((one) => isInside(one.node, action.node)))
          report.add('LNK_BLIND_FORM', spot, { column: blind.column, what: LATER });
        if (!written || by.length > 0) continue;
        report.add('LNK_BLIND_CLEAR', spot, { column: blind.column, value: text || value.type });
      }
    }
  }
}

function listBlindTables(names: readonly { readonly name: string }[], tables: TableNames): BlindTable[] {
  const found = [...new Set(names.map(({ name }) => name))].flatMap((table) => {
    const model = tables.findModel(table);
    if (model === undefined) return [];
    const indexes = new Map(tables.listBlindFields(model).map((field) => [field, field + BLIND]));
    return [{ table, model, indexes }];
  });
  if (found.every(({ indexes }) => indexes.size === 0)) return [];
  return found.map(({ table, model, indexes }) => ({ table, columns: tables.listFields(model), indexes }));
}

export interface BlindModels {
  readonly definitions: readonly Definition[];
  readonly registry: Registry;
  readonly stores: Stores;
  readonly report: Report;
}

export function checkBlindModels({ definitions, registry, stores, report }: BlindModels): void {
  for (const { sort, name, node, doc } of definitions) {
    if (sort !== 'model') continue;
    for (const { key, value } of node.members) {
      const marked = value && findMember(value, 'blind_index')?.value;
      if (marked?.scalar !== true) continue;
      const taken = node.members.find((member) => member.key === key + BLIND);
      if (taken !== undefined)
        report.add(
          'LNK_BLIND_NAME',
          { doc, start: taken.keyStart, end: taken.keyEnd },
          { name: taken.key, field: key },
        );
      const isTable = ({ kind }: { readonly kind: string }): boolean =>
        registry.kinds.get(kind)?.config?.models?.references === true;
      if (stores.listStores(name).every(isTable)) continue;
      report.add('LNK_BLIND_STORE', { doc, start: marked.start, end: marked.end }, { name: key });
    }
  }
}
