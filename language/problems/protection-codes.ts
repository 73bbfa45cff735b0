/** Codes about protections: values that are hashed or encrypted, and guards. Data only. */
import { defineProblem } from './define.js';

export const PROTECTION_CODES = {
  LNK_NO_VALUE: defineProblem(
    'error',
    'Protects nothing',
    'No value is named "{name}", so this step would protect nothing.{hint}',
    'Name a payload field (`profile.ssn` if nested) or a `for` name. Name a generated value with `generate` and `for`.',
  ),
  LNK_UNPROTECTED: defineProblem(
    'error',
    'Column written in clear text',
    'The column "{column}" is written from "{value}", but this actionable protects "{property}": the column would store clear text.',
    'Write the column from the protected value. A generated value that is named with `generate` and `for` can be protected.',
  ),
  LNK_CLEAR_WRITE: defineProblem(
    'warning',
    'Clear text here, protected elsewhere',
    '"{other}" protects the values of "{column}" of the model "{model}"; here "{value}" is written to it in clear text.',
    'Protect the value here with the same `hashables` or `ciphers`, or store clear text in another field.',
  ),
  LNK_SECRET_COPIED: defineProblem(
    'warning',
    'Secret copied into an open column',
    'This statement writes a secret into "{column}", which answers do not leave out.',
    'Mark the column with `"secret": true` in its model, or do not copy the value.',
  ),
  LNK_SECRET_STORED: defineProblem(
    'warning',
    'Secret behind a view or a function',
    '"{object}" of the database, which no script of the project creates, gives secrets under the names {names}; answers leave them out.',
    'Put it into `migrations/*.sql`, or mark the columns with `"secret": true` in a model of the view; both are seen without a database.',
  ),
  LNK_SECRET_SENT: defineProblem(
    'warning',
    'Secret that leaves',
    'This sends the secret "{name}" to others. If they are meant to have it, acknowledge LNK_SECRET_SENT in this actionable.',
    'Send another value. A service that needs the secret: `"acknowledge": [{"code": "LNK_SECRET_SENT", "because": "..."}]`.',
  ),
  LNK_PROTECTED_UNUSED: defineProblem(
    'warning',
    'Unused protected value',
    '"{name}" is not read, so this step protects no stored value; the values written here come from other names.',
    'Protect the value that is written, or write the protected one.',
  ),
  LNK_BLIND_FORM: defineProblem(
    'error',
    'Blind index not usable',
    '"{column}" is encrypted differently each time and has a blind index: {what}.',
    'Write `email = $1`, `email IN ($1, $2)` or `email = ANY($1)`; these use the index.',
  ),
  LNK_BLIND_CLEAR: defineProblem(
    'error',
    'Stored without encryption',
    '"{column}" has a blind index, so it stores ciphertext, but "{value}" is not encrypted here.',
    'Add it to `ciphers` with `"operation": "Encrypt"`, or remove `blind_index` from the field.',
  ),
  LNK_BLIND_NAME: defineProblem(
    'error',
    'Name of an index column',
    '"{name}" is the column that stores the blind index of "{field}".',
    'Rename this field.',
  ),
  LNK_BLIND_STORE: defineProblem(
    'error',
    'Index on documents',
    '"{name}" has a blind index, but its model is in a document store: only SQL tables have such indexes.',
    'Put the model in a SQL database, or remove `blind_index` from the field.',
  ),
  LNK_PRIVILEGE: defineProblem(
    'error',
    'Guard bypassed',
    'The resource "{target}" is guarded by {guard}; this resource {lack}, and the guard does not run again here.',
    'Guard this resource in the same way, or move the actionable into it.',
  ),
  LNK_REALM: defineProblem(
    'error',
    'Ambiguous uids',
    'Several guards issue uids, and "1" of one is not "1" of another: this message does not specify the guard.',
    'Set `"{field}"` to the id of a resource with the guard of the receivers, one of "{ids}"; or send from such a resource.',
  ),
  LNK_REALM_OPEN: defineProblem(
    'hint',
    'Also without a token',
    'This resource has no guard, so the message also reaches connections without a token that claim this uid.',
    'To prevent that, write `"{field}": "{target}"`: the id of a resource whose guard receivers must pass.',
  ),
  LNK_NO_REALM: defineProblem(
    'error',
    'No guard',
    'The resource "{target}" has no guard that identifies callers, so it has no uids.',
    'Name a resource with `protected`.',
  ),
} as const;
