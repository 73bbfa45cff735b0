/** Reports statements with effects that no request may have. */
import { locateInString } from '../../source/escapes.js';
import type { Document } from '../../source/document.js';
import { EFFECT_CODES, findEffects } from '../../../plugins/queries/sql/text/effects.js';
import type { SqlText } from '../facts.js';
import type { Report } from '../report.js';

/** Returns true if any was found. */
export function reportEffects(report: Report, doc: Document, { scan, node }: SqlText): boolean {
  const effects = findEffects(scan);
  for (const { sort, what, start, end } of effects) {
    report.add(EFFECT_CODES[sort], locateInString(doc, node, { start, end }), { what });
  }
  return effects.length > 0;
}
