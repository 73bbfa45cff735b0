/** Inlay hints after the ids of actionables: when each runs. Omitted for a single plain actionable. */
import { rangeAt } from '../../language/source/document.js';
import { findMember } from '../../language/source/tree.js';
import type { InlayHintSource } from './hint-source.js';
import { isOverlapping } from '../fields-in-range.js';
import { describeExecutionOrder } from '../execution-order.js';

/** Text of a single actionable without special timing. */
const PLAIN = '1st';

export const createOrderHints: InlayHintSource = (view, range) =>
  view.analysis.resources
    .filter(({ definition: { doc } }) => doc.file === view.doc.file)
    .flatMap((resource) => {
      const words = describeExecutionOrder(view, resource);
      if (words.size === 1 && [...words.values()][0] === PLAIN) return [];
      return resource.actions.flatMap(({ key, node, definition: { doc } }) => {
        const label = words.get(key);
        const id = findMember(node, 'id')?.value;
        if (label === undefined || id === undefined || id === null) return [];
        const at = rangeAt(doc, id.start, id.end);
        return isOverlapping(at, range) ? [{ position: at.end, label, paddingLeft: true }] : [];
      });
    });
