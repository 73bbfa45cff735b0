/** Codes of what a whole set says of who may do what, and of warnings that are acknowledged. Data only. */
import { problem, unsure } from './rows.js';

export const AUDIT_CODES = {
  ACK_UNUSED: unsure(
    'Acknowledged without a cause',
    'Nothing here is reported as "{code}".{hint}',
    'Remove the entry: it would silence the next warning of that code, which was not looked at.',
  ),
  ACK_ERROR: problem(
    'warning',
    'Errors cannot be acknowledged',
    '"{code}" is the code of an error, which stays whatever is written here.',
    'Mend the error, and remove the entry.',
  ),
} as const;
