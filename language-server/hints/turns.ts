/** Behind the numbers of actionables: when each of them runs. Where there is only one thing to do, there is nothing to tell. */
import { rangeAt } from '../../kernel/source/document.js';
import { memberOf } from '../../kernel/source/tree.js';
import type { InlaySource } from '../features/inlay-hints.js';
import { overlaps } from '../fields-shown.js';
import { turnsOf } from '../turns.js';

/** The turn of a single actionable that has nothing special about it. */
const PLAIN = '1st';

export const turns: InlaySource = (view, range) =>
  view.analysis.resources
    .filter(({ definition: { doc } }) => doc.file === view.doc.file)
    .flatMap((resource) => {
      const words = turnsOf(view, resource);
      if (words.size === 1 && [...words.values()][0] === PLAIN) return [];
      return resource.actions.flatMap(({ key, node, definition: { doc } }) => {
        const label = words.get(key);
        const id = memberOf(node, 'id')?.value;
        if (label === undefined || id === undefined || id === null) return [];
        const at = rangeAt(doc, id.start, id.end);
        return overlaps(at, range) ? [{ position: at.end, label, paddingLeft: true }] : [];
      });
    });
