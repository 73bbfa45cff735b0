/** A fix that removes a field. Needs review, because a field without effect may be incomplete input. Data only. */
import type { Finding } from '../../contract/plugin.js';

export const createRemovalFix = (at: string): Pick<Finding, 'fix'> => ({
  fix: { title: `remove "${at.slice(at.lastIndexOf('/') + 1)}"`, edits: [{ at, remove: true }], asks: true },
});
