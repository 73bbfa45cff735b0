/** Error codes of deferred work, shared by the features that defer. Data only. */
import type { CodeEntry } from '../../../contract/problem.js';

export const deferredErrors = {
  LTR_MAIN: {
    severity: 'error',
    title: 'Main result of a job',
    message: 'This actionable runs after the response: its result cannot be the main one.',
    help: 'Mark an actionable that runs in the foreground, or remove the mark: the response is then that the job was accepted.',
  },
  LTR_NO_OP: {
    severity: 'error',
    title: 'Deferred `no_op`',
    message: 'A `no_op` actionable runs where its dependents run; it cannot be deferred separately.',
    help: 'Defer the actionable that depends on it: its dependencies run with it.',
  },
  LTR_VERIFY: {
    severity: 'error',
    title: 'Verified after the response',
    message:
      '`verify_hashables` would run after the response, when the caller cannot be rejected, and the compared value would be stored until then.',
    help: 'Verify in an actionable that runs in the foreground; defer only later ones.',
  },
  LTR_TOKEN: {
    severity: 'error',
    title: 'No response for the token',
    message: 'Everything here runs after the response, which only confirms the job: it cannot contain a token.',
    help: 'Run the actionable that provides the claims in the foreground, and defer the others one by one.',
  },
  LTR_CACHE: {
    severity: 'error',
    title: 'Nothing to cache',
    message: 'Everything here runs after the response; a response from the cache would skip the job.',
    help: 'Remove `read_from_cache`, or defer the work in a separate resource.',
  },
  LTR_UNSEEN: {
    severity: 'warning',
    title: 'Rejection after the response',
    message: 'This actionable runs after the response: without a result the job fails, and the caller is not notified.',
    help: 'Check required rows in an actionable that runs in the foreground.',
  },
  LTR_ANSWER: {
    severity: 'warning',
    title: 'Not in the response',
    message: 'Only actionables that run after the response have {what}: it is not returned.',
    help: 'Without a foreground result, the response is `{"accepted": true, "id": "..."}`.',
  },
  LTR_FILES: {
    severity: 'warning',
    title: 'Always in the foreground',
    message: '{mode} needs the request and always runs in the foreground.',
    help: 'Remove it here; defer later actionables.',
  },
  LTR_SECRET: {
    severity: 'error',
    title: 'Secret stored with the job',
    message: 'This runs after the response, and the result with "{name}" is stored with the job without its secrets.',
    help: 'Read the secret when the job runs: select it in a `no_op` actionable, and depend on that.',
  },
  LTR_KEY: {
    severity: 'error',
    title: 'No key for stored jobs',
    message:
      'This runs after the response, and "{name}" is hashed, encrypted or secret: stored jobs are encrypted, but `{variable}` {what}.',
    help: 'Set the variable to a random text of at least 32 bytes, the same for all processes: `openssl rand -hex 32`.',
  },
  LTR_CLEAR: {
    severity: 'warning',
    title: 'Looks like a secret',
    message: 'This runs after the response: "{name}" is stored with the job in clear text until then.',
    help: 'If it is a secret, hash or encrypt it here (`hashables`, `ciphers`), or run this in the foreground.',
  },
  LTR_CREDENTIAL: {
    severity: 'error',
    title: 'Credential stored with the job',
    message:
      'This runs after the response: the header "{name}" contains a credential, which would be stored with the job.',
    help: 'Use claims of a verified token (`$PROTECTED`), or a key of the service (`$ENV`).',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
