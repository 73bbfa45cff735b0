/** Error codes of deferred work, shared by the features that defer. Data only. */
import type { CodeEntry } from '../../../contract/problem.js';

export const laterErrors = {
  LTR_MAIN: {
    severity: 'error',
    title: 'Main result that comes too late',
    message: 'This actionable is done behind the answer: its result cannot be the main one.',
    help: 'Mark an actionable that is done for the answer, or leave the mark out: the caller is told that the work was accepted.',
  },
  LTR_NO_OP: {
    severity: 'error',
    title: 'Put off by itself',
    message: 'A `no_op` actionable runs where another one needs it; it cannot be put off by itself.',
    help: 'Put off the actionable that depends on it: what it needs is done together with it.',
  },
  LTR_VERIFY: {
    severity: 'error',
    title: 'Verified too late',
    message:
      '`verify_hashables` would be judged behind the answer, when nobody can be refused any more, and what is compared would be stored until then.',
    help: 'Verify in an actionable that is done for the answer; put off only what comes after it.',
  },
  LTR_TOKEN: {
    severity: 'error',
    title: 'No answer for the token',
    message:
      'Everything here is done behind the answer, which only says that the work was accepted: no token can be in it.',
    help: 'Do the actionable whose result the token is made of for the answer, and put off the others one by one.',
  },
  LTR_CACHE: {
    severity: 'error',
    title: 'Nothing to keep',
    message:
      'Everything here is done behind the answer; an answer out of a cache would keep the work from being accepted.',
    help: 'Leave `read_from_cache` out, or put the work off in a resource of its own.',
  },
  LTR_UNSEEN: {
    severity: 'warning',
    title: 'Refused where nobody hears it',
    message:
      'This actionable is done behind the answer: without a result its work fails, and the caller never learns of it.',
    help: 'What has to be there before the work is accepted is asked for by an actionable that is done for the answer.',
  },
  LTR_ANSWER: {
    severity: 'warning',
    title: 'Not in the answer',
    message: 'Only what is done behind the answer has {what}: it is not answered.',
    help: 'Without a result that is there in time, the answer is `{"accepted": true, "id": "..."}`.',
  },
  LTR_FILES: {
    severity: 'warning',
    title: 'Done at once',
    message: '{mode} takes what only the request has, and is done for the answer whatever stands here.',
    help: 'Leave it out here; put off what comes after it.',
  },
  LTR_SECRET: {
    severity: 'error',
    title: 'Secret that would be stored',
    message:
      'This is done behind the answer, and the result that "{name}" is taken from is stored with the work without its secrets.',
    help: 'A secret of a store is read when the work is done: let a `no_op` actionable select it, and depend on that.',
  },
  LTR_KEY: {
    severity: 'error',
    title: 'No key for what waits',
    message:
      'This is done behind the answer, and "{name}" is hashed, encrypted or secret: what waits is encrypted, and `{variable}` {what}.',
    help: 'Set the variable to a random text of at least 32 bytes, the same for all processes: `openssl rand -hex 32`.',
  },
  LTR_CLEAR: {
    severity: 'warning',
    title: 'Looks like a secret',
    message: 'This is done behind the answer: "{name}" is stored with the work until then, as it was sent.',
    help: 'If it is a secret, hash or encrypt it here (`hashables`, `ciphers`), or do this for the answer.',
  },
  LTR_CREDENTIAL: {
    severity: 'error',
    title: 'Credential that would be stored',
    message:
      'This is done behind the answer: the header "{name}" carries a credential, which would be stored with the work.',
    help: "Use claims of a verified token (`$PROTECTED`), or a key of the service's own (`$ENV`).",
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
