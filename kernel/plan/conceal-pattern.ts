/** Patterns of values that are never sent under any name: hashes, and blind indexes of encrypted columns. */
import { BLIND_FORM, type ModelColumn } from '../../contract/model.js';
import { isInside } from '../../language/analysis/report.js';
import type { ResourceScope } from './tools.js';

/** A hash may occur in any expression, in a row converted to JSON, or in a view. */
export function buildConcealPattern({ registry, uses, sequence, tables }: ResourceScope): RegExp | null {
  const forms = [...registry.plugins].flatMap(([id, { facts }]) => {
    const form = facts?.['conceals'];
    return typeof form === 'string' && uses.has(id) ? [form] : [];
  });
  const isBlind = ({ blind }: ModelColumn): boolean => blind !== undefined;
  if ([...tables.values()].some(({ columns }) => columns.some(isBlind))) forms.push(BLIND_FORM);
  if (forms.length === 0) return null;
  const mayHold = sequence.some(({ definition: { finds }, node, models, stores }) => {
    if (stores.length === 0) return false;
    // A table without a model may be a view of any table.
    const asked = finds.statements.filter((one) => isInside(one.node, node)).flatMap(({ scan }) => scan.tables);
    const secret = models.some((model) => {
      const table = tables.get(model);
      return table?.secrets !== undefined || table?.columns.some(isBlind) === true;
    });
    return secret || new Set(asked.map(({ name }) => name.toLowerCase())).size > models.length;
  });
  return mayHold ? new RegExp(forms.join('|')) : null;
}
