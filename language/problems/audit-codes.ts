/** Codes of the audit and of acknowledged warnings. */
import type { CodeEntry } from '../../contract/problem.js';
import { defineProblem, defineUnsure } from './define.js';

const markCertain = (entry: CodeEntry): CodeEntry => ({ ...entry, certainty: 'certain' });

export const AUDIT_CODES = {
  AUD_OWNER_SENT: defineProblem(
    'warning',
    'Owner from the payload',
    'The client chooses the owner of the row: "{column}" is written from the payload, and no earlier step depends on the caller.',
    'Write the column from a token claim: list it in `extract_claims` and pass it as a parameter. If some callers may act for others, compare a claim in an earlier actionable.',
  ),
  AUD_READ_ANY: defineProblem(
    'warning',
    'Read of rows of other callers',
    'Callers are verified, but this read returns rows of other callers: every other read of "{model}" depends on the caller.',
    'Compare the owner column with a token claim, as the other reads do.',
  ),
  AUD_UNGUARDED: defineProblem(
    'warning',
    'Write without a guard',
    'This {verb} needs no token: every other change of "{model}" depends on a verified caller.',
    'Guard the resource with `protected`, as the others do, and compare a column with a claim.',
  ),
  AUD_DELETED_ROWS: defineProblem(
    'warning',
    'Deleted rows not excluded',
    'This statement includes deleted rows of "{model}": `soft_delete` keeps them.',
    'Add the condition `deleted_at IS NULL`, in `mongo_query` `"deleted_at": null`; or acknowledge the warning.',
  ),
  AUD_PASSWORD_CLEAR: defineProblem(
    'warning',
    'Password stored in clear text',
    '"{column}" is written from the payload without being hashed.',
    'Add `"hashables": [{"property": "<field>", "algorithm": "BCRYPT"}]` to this actionable.',
  ),
  AUD_PASSWORD_COMPARED: markCertain(
    defineProblem(
      'warning',
      'Password compared in SQL',
      '"{column}" is compared with the value that the client sends: hashes are salted, so this matches only clear-text passwords.',
      'Select the row by another column, and let `verify_hashables` compare the hash.',
    ),
  ),
  AUD_HASH_ANSWERED: markCertain(
    defineProblem(
      'warning',
      'Hash in the response',
      '"{name}" is a password hash, and this list returns it to callers.',
      'Remove the name from the list: `verify_hashables` reads the hash without it.',
    ),
  ),
  AUD_TO_EVERYBODY: defineProblem(
    'warning',
    'Rows of one caller sent to all',
    'The result belongs to one caller, but every connection receives it, with or without a token.',
    'Name receivers with `"broadcast_type": "SINGLE"`, `"BULK"` or `"ROOM"`, or send a result that is public.',
  ),
  AUD_OTHER_KEY: markCertain(
    defineProblem(
      'warning',
      'Key without an issuer',
      'No resource issues tokens with this key, so the tokens that resources issue are rejected here.',
      'Write the key of the resource that issues them. If another system issues the tokens, name it in `issuer`.',
    ),
  ),
  ACK_UNUSED: markCertain(
    defineUnsure(
      'Unused acknowledgement',
      '"{code}" is not reported here.{hint}',
      'Remove the entry: it would hide the next warning with that code.',
    ),
  ),
  ACK_ERROR: markCertain(
    defineProblem(
      'warning',
      'Errors cannot be acknowledged',
      '"{code}" is an error; only warnings can be acknowledged.',
      'Fix the error and remove the entry.',
    ),
  ),
} as const;
