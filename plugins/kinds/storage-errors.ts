/**
 * Codes that stores of files answer with: one table for all of them, so that a definition meets the same problem wherever
 * its files are kept. Data only; the mapping from an error of a driver to a code lives with the driver.
 */
import type { CodeEntry } from '../../kernel/contract/problem.js';

export const storageErrors = {
  STO_AWAY: {
    status: 503,
    title: 'File storage not available',
    message: 'Files cannot be stored at the moment.',
    help: 'The storage cannot be reached, does not answer in time, or is full. Sending the request again is safe: nothing was kept. The log says which.',
  },
  STO_REFUSED: {
    status: 500,
    title: 'File storage refused',
    message: 'The file could not be stored.',
    help: 'The storage refused the operation for a reason that the client cannot mend, such as a missing permission or bucket. The log names it.',
  },
  STO_OPEN: {
    status: 503,
    title: 'No storage',
    message: 'Files cannot be kept in {place}: {reason}.',
    help: 'The storage of the config file could not be opened at the start.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
