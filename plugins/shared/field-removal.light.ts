/** Removes a field; needs review, because it may be incomplete input. */
import type { Finding } from '../../contract/plugin.js';

export const createRemovalFix = (at: string): Pick<Finding, 'fix'> => ({
  fix: { title: `remove "${at.slice(at.lastIndexOf('/') + 1)}"`, edits: [{ at, remove: true }], asks: true },
});
