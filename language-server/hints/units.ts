/** After numbers: the unit, or the value in larger units. Omitted if the field's name has it. */
import { InlayHintKind } from '../protocol.js';
import { formatLargerUnits } from '../../language/strings/format-quantity.js';
import type { InlayHintSource } from './hint-source.js';
import { listFieldsInRange } from '../fields-in-range.js';

export const createUnitHints: InlayHintSource = (view, range) =>
  listFieldsInRange(view, range).flatMap(({ level: { field, key }, node, range: at }) => {
    const unit = field?.meta.unit;
    if (node.type !== 'number' || unit === undefined) return [];
    const label = formatLargerUnits(Number(node.scalar), unit) ?? (hasUnitName(String(key), unit) ? null : unit);
    if (label === null) return [];
    return [{ position: at.end, label, kind: InlayHintKind.Type, paddingLeft: true }];
  });

/** `max_connections: 10` needs no `connections`. */
const hasUnitName = (key: string, unit: string): boolean =>
  key.toLowerCase().includes(unit.toLowerCase().replace(/s$/, ''));
