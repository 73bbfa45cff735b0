/** Config fields of every queue. Data only; specs combine them with their own fields. */
import { numeric } from '../../../contract/combinators.js';

/** `poll`: default seconds between polls of the store when no notification wakes the process. */
export const queueFields = (poll: number) => ({
  concurrency: numeric({
    doc: 'Maximum number of jobs that one process runs at the same time.',
    default: 10,
  })
    .integer()
    .min(1)
    .max(1000),
  lease: numeric({
    doc:
      'Time without a renewal after which another process runs the job. A process renews it every third of ' +
      'this time, so a job may run for any time.',
    unit: 'seconds',
    default: 30,
  })
    .min(0.3)
    .max(3600),
  backoff: numeric({
    doc: 'Pause before the first retry of a failed job. It doubles each time, up to an hour, and varies by a fifth.',
    unit: 'seconds',
    default: 2,
  })
    .min(0.001)
    .max(3600),
  poll: numeric({
    doc: 'Interval at which a process looks for jobs of which it was not notified.',
    unit: 'seconds',
    default: poll,
  })
    .min(0.01)
    .max(60),
  max_payload: numeric({
    doc: 'Maximum size of a job with its stored values. A larger one is rejected (`JOB_TOO_LARGE`).',
    unit: 'bytes',
    default: 262_144,
  })
    .integer()
    .min(1024)
    .max(16_777_216),
});
