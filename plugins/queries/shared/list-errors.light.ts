/** Error codes of queries that repeat for each item. */
import type { CodeEntry } from '../../../contract/problem.js';

export const listErrors = {
  QRY_TOO_WIDE: {
    status: 413,
    title: 'Too much data next to the list',
    message: 'The body has too many properties next to a list of so many items.',
    help: 'Send only what the items need, or the list in parts.',
  },
  QRY_NO_LIST: {
    status: 422,
    title: 'List missing',
    message: '{what} must be a list.',
    help: 'The statement runs once for each item of a list, and the request has none at this place.',
  },
  QRY_ITEM: {
    status: 422,
    title: 'Item of the wrong form',
    message: 'An item of the list is not an object.',
    help: 'The statement reads fields of every item; `errors` points at the first item that has none.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
