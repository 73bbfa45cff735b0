/** No message contains a key, a nonce or a request value. */
import type { CodeEntry } from '../../../contract/problem.js';

const OPEN_HELP =
  'Key, algorithm, encoding and `aad` must be those that the value was encrypted with. The response does not reveal which of them differs.';

export const errors = {
  CPH_KEY: {
    severity: 'error',
    title: 'Key cannot be used',
    message: 'The `key` of {place} cannot be used: {what}.',
    help: 'Keep keys in the environment, random: `openssl rand -hex 32`, written as `hex:` and the digits.',
  },
  CPH_NONCE: {
    severity: 'error',
    title: 'Fixed nonce',
    message: 'The `nonce` of {place} cannot be used: {what}.',
    help: 'Remove it: each value gets a new one. A fixed nonce is allowed only in tests, with `"testing": true` in the config.',
  },
  CPH_AAD: {
    severity: 'error',
    title: 'Additional data cannot be used',
    message: 'The `aad` of {place} cannot be used: {what}.',
    help: 'Write text, with or without accessors, or a prefix (`hex:`, `base64:`) and constant bytes.',
  },
  CPH_TWICE: {
    severity: 'error',
    title: 'Named twice',
    message: '"{property}" is already named by this actionable for the same operation.',
    help: 'Keep one of the two.',
  },
  CPH_AGAIN: {
    severity: 'warning',
    title: 'Encrypted already',
    message: 'Actionable {action} runs before this one and encrypts "{property}": here its ciphertext is encrypted.',
    help: 'Encrypt it in the first actionable that writes it; those after it see the ciphertext too.',
  },
  CPH_RAW_BEFORE: {
    severity: 'hint',
    title: 'Written before it is encrypted',
    message: 'Actionable {action} runs before this one and writes "{property}" as it was sent.',
    help: 'Encrypt it in the first actionable that writes it; those after it see the ciphertext too.',
  },
  CPH_COLUMN: {
    severity: 'error',
    title: 'No column for a ciphertext',
    message: 'A ciphertext is text, and "{column}" is a field of type {type}.',
    help: 'Make it a `String`: any JSON value comes back as it was.',
  },
  CPH_SHORT: {
    severity: 'warning',
    title: 'Column too short',
    message: '"{column}" takes {max} characters, and the ciphertext of {what} has {length}.',
    help: 'Raise the `max_length` of the model, or remove it.',
  },
  CPH_COMPARED: {
    severity: 'warning',
    title: 'Comparison with encrypted values',
    message: '"{property}" is encrypted differently each time, so {what}.',
    help: 'Give the field of the model `"blind_index": true`: it is then found by `=`. Or look the row up by something else.',
  },
  CPH_UNIQUE: {
    severity: 'error',
    title: 'Unique index on encrypted values',
    message:
      '"{property}" is encrypted differently each time, and "{column}" is unique: two equal values would both be stored.',
    help: 'Give the field of the model `"blind_index": true` next to `unique`. The unique index is then on a keyed digest of the values.',
  },
  CPH_NOTHING_STORED: {
    severity: 'warning',
    title: 'Nothing to decrypt',
    message: 'An actionable of mode {mode} returns values of the definition, so no stored value is decrypted.',
    help: 'Decrypt in the actionable that reads the value.',
  },
  CPH_NOT_SELECTED: {
    severity: 'warning',
    title: 'Not in the result',
    message: 'The result of this actionable has no "{name}", so nothing is decrypted.',
    help: 'Add the column to the select list or RETURNING list.',
  },
  CPH_OPEN: {
    status: 422,
    title: 'Cannot be decrypted',
    message: 'A stored value cannot be decrypted.',
    help: OPEN_HELP,
  },
  CPH_ITEMS: {
    status: 422,
    title: 'Items that are not encrypted',
    message: 'The items of the list have "{name}" themselves, and only what is sent, or has a name, is encrypted.',
    help: 'Take the list out with `extract_response_for` and write its name at `multi`: items of a list with a name are encrypted.',
  },
  CPH_NAME: {
    status: 422,
    title: 'Nothing to encrypt',
    message: 'The value "{name}" is absent, and its column is not written without it.',
    help: 'It comes from another actionable (`for`), which must return it.',
  },
  CPH_TOO_MANY: {
    status: 413,
    title: 'Too many values to encrypt',
    message: 'The request has more values to encrypt than are worked on at a time; at most {max} are accepted.',
    help: 'Send the list in parts.',
  },
  CPH_TOO_LONG: {
    status: 413,
    title: 'Value too long to encrypt',
    message: 'A value is longer than its text form takes; at most {max} bytes of JSON are accepted.',
    help: 'Another encoding has no such limit: `Base58` is for short values.',
  },
  CPH_MANY_ROWS: {
    status: 422,
    title: 'Too many values to decrypt',
    message: 'The result has more encrypted values than are worked on for one request; at most {max} are decrypted.',
    help: 'Select fewer rows: a LIMIT, or a page at a time.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
