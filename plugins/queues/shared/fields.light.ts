/** Config fields of every queue. Data only; specs combine them with their own fields. */
import { numeric } from '../../../contract/combinators.js';

/** `poll`: default seconds between polls of the store when no notification wakes the process. */
export const queueFields = (poll: number) => ({
  concurrency: numeric({
    doc: 'Work that one process does at the same time. No more than that is taken out of the queue.',
    default: 10,
  })
    .integer()
    .min(1)
    .max(1000),
  lease: numeric({
    doc:
      'How long a process may be silent before the work that it does is given to another. It is renewed every third of ' +
      'this time, so work may take as long as it likes.',
    unit: 'seconds',
    default: 30,
  })
    .min(0.3)
    .max(3600),
  backoff: numeric({
    doc: 'Pause before the first retry of work that failed. It doubles each time, up to an hour, and varies by a fifth.',
    unit: 'seconds',
    default: 2,
  })
    .min(0.001)
    .max(3600),
  poll: numeric({
    doc: 'How often a process looks for work that nobody woke it for.',
    unit: 'seconds',
    default: poll,
  })
    .min(0.01)
    .max(60),
  max_payload: numeric({
    doc: 'Size of the work of one actionable, with everything that travels. More is refused (`JOB_TOO_LARGE`).',
    unit: 'bytes',
    default: 262_144,
  })
    .integer()
    .min(1024)
    .max(16_777_216),
});
