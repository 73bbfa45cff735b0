/** Codes of the audit (ownership, passwords, keys) and of acknowledged warnings. Data only. */
import type { CodeEntry } from '../../contract/problem.js';
import { defineProblem, defineUnsure } from './define.js';

const markCertain = (entry: CodeEntry): CodeEntry => ({ ...entry, certainty: 'certain' });

export const AUDIT_CODES = {
  AUD_OWNER_SENT: defineProblem(
    'warning',
    'Owner from the payload',
    'The client chooses the owner of the row here: "{column}" is written from the payload, and nothing before depends on the caller.',
    'Write the column from a claim of the token: list it in `extract_claims` and pass it as a parameter. Where some callers may act for others, compare a claim in an actionable before.',
  ),
  AUD_READ_ANY: defineProblem(
    'warning',
    'Read of rows of others',
    'Callers are verified, but each of them reads rows of the others here: every other read of "{model}" depends on the caller.',
    'Compare the column of the owner with a claim of the token, as the others do.',
  ),
  AUD_UNGUARDED: defineProblem(
    'warning',
    'Write without the guard of the others',
    'This {verb} needs no token: every other change of "{model}" depends on a verified caller.',
    'Guard the resource with `protected`, as the others are, and compare a column with a claim.',
  ),
  AUD_PASSWORD_CLEAR: defineProblem(
    'warning',
    'Password stored as it came',
    '"{column}" is written from the payload, and nothing hashes the value before.',
    'Add `"hashables": [{"property": "<field>", "algorithm": "BCRYPT"}]` to this actionable.',
  ),
  AUD_PASSWORD_COMPARED: markCertain(
    defineProblem(
      'warning',
      'Password compared in SQL',
      '"{column}" is compared with what the client sends: that holds for a password in clear alone, for every hash is another one.',
      'Select the row by another column, and let `verify_hashables` compare the hash.',
    ),
  ),
  AUD_HASH_ANSWERED: markCertain(
    defineProblem(
      'warning',
      'Hash in the answer',
      '"{name}" is the hash of a password, and this list answers it to callers.',
      'Take the name off the list: `verify_hashables` reads the hash without it.',
    ),
  ),
  AUD_TO_EVERYBODY: defineProblem(
    'warning',
    'Rows of one caller for everybody',
    'The result is that of the caller alone, and every connection gets it, with or without a token.',
    'Name receivers with `"broadcast_type": "SINGLE"`, `"BULK"` or `"ROOM"`, or send a result that belongs to all.',
  ),
  AUD_OTHER_KEY: markCertain(
    defineProblem(
      'warning',
      'Tokens of another key',
      'No resource gives out tokens with this key, so the tokens that resources give out are refused here.',
      'Write the key of the resource that gives them out. Where another system makes the tokens, name it in `issuer`.',
    ),
  ),
  ACK_UNUSED: markCertain(
    defineUnsure(
      'Acknowledged without a cause',
      'Nothing here is reported as "{code}".{hint}',
      'Remove the entry: it would silence the next warning of that code, which may be another one.',
    ),
  ),
  ACK_ERROR: markCertain(
    defineProblem(
      'warning',
      'Errors cannot be acknowledged',
      '"{code}" is the code of an error, which stays whatever is written here.',
      'Mend the error, and remove the entry.',
    ),
  ),
} as const;
