/** A fix that takes something away. Somebody has to look: what has no effect yet may be half typed. Data only. */
import type { Finding } from '../../kernel/contract/plugin.js';

export const removing = (at: string): Pick<Finding, 'fix'> => ({
  fix: { title: `remove "${at.slice(at.lastIndexOf('/') + 1)}"`, edits: [{ at, remove: true }], asks: true },
});
