/** Codes about values that are hashed or encrypted. Data only. */
import { defineProblem } from './define.js';

export const PROTECTION_CODES = {
  LNK_NO_VALUE: defineProblem(
    'error',
    'Protects nothing',
    'Nothing gives a value that is called "{name}", so this step would protect nothing.{hint}',
    'Name the value as it is read: a field of the payload (`profile.ssn` for one inside another), or a `for` name. A value that is drawn gets a name with `generate` and `for`.',
  ),
  LNK_UNPROTECTED: defineProblem(
    'error',
    'Column written in clear',
    'The column "{column}" is written from "{value}", and this actionable protects "{property}": the column would hold clear text.',
    'Write the column from the protected value. A value that is drawn gets a name with `generate` and `for`, which can be protected.',
  ),
  LNK_CLEAR_WRITE: defineProblem(
    'warning',
    'Written in clear here, protected elsewhere',
    '"{other}" protects what it writes to "{column}" of the model "{model}"; here "{value}" is written to it as it is sent.',
    'Protect the value here in the same way, with the same `hashables` or `ciphers`, or keep clear text in another field.',
  ),
  LNK_PROTECTED_UNUSED: defineProblem(
    'warning',
    'Protected value that is not used',
    'Nothing reads "{name}", so this step protects nothing that is stored; what is written here comes from other values.',
    'Name the value that is written, or write the one that is protected.',
  ),
  LNK_BLIND_FORM: defineProblem(
    'error',
    'Not by its index',
    '"{column}" is encrypted differently each time and has a blind index: {what}.',
    'Write `email = $1`, `email IN ($1, $2)` or `email = ANY($1)`; the statement then runs on the index.',
  ),
  LNK_BLIND_CLEAR: defineProblem(
    'error',
    'Stored without encryption',
    '"{column}" has a blind index, so it holds ciphertexts, and nothing encrypts "{value}" here.',
    'Name it in `ciphers` with `"operation": "Encrypt"`, or take `blind_index` off the field.',
  ),
  LNK_BLIND_NAME: defineProblem(
    'error',
    'Name of an index',
    '"{name}" is the column in which the blind index of "{field}" is kept.',
    'Give this field another name.',
  ),
  LNK_BLIND_STORE: defineProblem(
    'error',
    'Index of tables alone',
    '"{name}" has a blind index, and its model is one of documents: only SQL tables have such indexes.',
    'Keep the model in a SQL database, or take `blind_index` off the field.',
  ),
} as const;
