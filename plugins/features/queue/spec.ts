/** Runs work in the background, with a delay, a priority and retries. */
import { QUEUE_KEY } from '../../queues/shared/key.light.js';
import { isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { checkDeferred } from '../shared/deferred-checks.light.js';
import { deferredErrors } from '../shared/deferred-errors.light.js';
import { queueErrors } from '../../queues/kind.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

/** Seconds. */
const YEAR = 31_536_000;

const createRetriesField = () =>
  numeric({
    doc: 'Number of retries after a failure, each after a longer wait.',
    default: 4,
    form: '4',
    examples: [2],
  })
    .integer()
    .min(0)
    .max(50);

const DELAY = { say: 'the wait is `"delay"`, in seconds', rename: 'delay' };
const RETRIES = { say: 'the number of retries is `"retries"`', rename: 'retries' };
const PRIORITY = { say: 'the order is set by `"priority"`, a number', rename: 'priority' };

const WHEN = {
  say: 'the delay is `"delay"`, in seconds; work at a certain time is started by `cron_job`',
  means: 'delay',
};
const CRON = 'repeated work is an actionable with `"cron_job": {"execution_interval": "0 0 3 * * *"}`';
const CONFIG = 'pauses between retries and the number of parallel jobs are settings of the queue in the config';
const ID = 'a job has the id of its request, which is in the response and in `x-request-id`';
const NAME = 'there is one queue; the config sets its store, and `priority` the order';

const QUEUE = 'work that waits its turn is marked `"queue": {"delay": 60, "priority": 10}`';
const INVENTED = {
  queued: { say: QUEUE, rename: 'queue' },
  enqueue: { say: QUEUE, rename: 'queue' },
  job: { say: QUEUE, rename: 'queue' },
  worker: QUEUE,
  retry: { say: RETRIES.say, rename: 'retries' },
  attempts: RETRIES,
  max_attempts: RETRIES,
  max_retries: RETRIES,
};

const createSettingsField = (doc: string) =>
  shape({
    delay: numeric({
      doc: 'Minimum time before the work starts.',
      unit: 'seconds',
      default: 0,
      examples: [60],
      form: '60, in seconds',
    })
      .min(0)
      .max(YEAR),
    priority: numeric({
      doc: 'Work with a higher priority starts first; with equal priority, in the order in which it was accepted.',
      default: 0,
      examples: [10],
      form: '10, the higher first',
    })
      .min(-1_000_000)
      .max(1_000_000),
    retries: createRetriesField(),
  }).meta({
    doc,
    form: '{"delay": 60, "priority": 10}',
    short: { number: 'delay', boolean: '{}' },
    mistaken: {
      delay_seconds: DELAY,
      delay_sec: DELAY,
      delay_in_seconds: DELAY,
      delay_ms: { say: DELAY.say, means: 'delay' },
      ms: { say: DELAY.say, means: 'delay' },
      run_at: WHEN,
      run_after: WHEN,
      at: WHEN,
      date: WHEN,
      cron: CRON,
      schedule: CRON,
      execution_interval: CRON,
      repeat: CRON,
      every: CRON,
      max_retries: RETRIES,
      max_attempts: RETRIES,
      retry_count: RETRIES,
      backoff: CONFIG,
      retry_delay: CONFIG,
      concurrency: CONFIG,
      lease: CONFIG,
      timeout_seconds: CONFIG,
      job_id: ID,
      id: ID,
      key: ID,
      use: 'the store of the queue is set in the config, by `"queue": {"use": "redis"}`',
      type: 'the store of the queue is set in the config, by `"queue": {"use": "redis"}`',
      channel: NAME,
      queue: NAME,
      queue_name: NAME,
      topic: NAME,
      wait: DELAY,
      after: DELAY,
      seconds: DELAY,
      prio: PRIORITY,
      importance: PRIORITY,
      attempts: RETRIES,
      tries: RETRIES,
      retry: RETRIES,
      name: NAME,
    },
  });

export default definePlugin({
  kind: 'feature',
  name: 'queue',
  since: '0.4.0',
  summary: 'Runs the work after the response: with a delay, by priority, and with retries.',
  details:
    'Like `run_in_background`, which may be next to it, with settings: `delay` in seconds, `priority` (higher first), ' +
    '`retries`. Each run has the same id; outbound calls send it as `Idempotency-Key`. A failed run is retried after ' +
    '2, 4, 8, ... seconds; after the last retry the job is kept, and `lintel jobs` lists it and can retry it. If the ' +
    'request writes to a SQL database, the job and the writes are committed together, or neither is.',
  facts: { applies: 'when-present', keyVariable: QUEUE_KEY },
  requires: ['queue:*'],
  seeks: ['dialect:*'],
  slots: {
    resource: shape(
      {
        queue: createSettingsField('The resource runs after the response, with these settings.'),
        retries: createRetriesField(),
      },
      { mistaken: INVENTED },
    ),
    actionable: shape(
      {
        queue: createSettingsField('This actionable runs after the response, with these settings.'),
        retries: createRetriesField(),
      },
      { mistaken: INVENTED },
    ),
  },
  timing: ({ value }) => (isObject(value['queue']) ? 'later' : null),
  check,
  openapi: ({ value }) => ({ refuses: isObject(value['queue']) ? ['JOB_AWAY', 'JOB_TOO_LARGE'] : [] }),
  errors: {
    ...deferredErrors,
    ...queueErrors,
    QUE_TWICE: {
      severity: 'error',
      title: 'Retries twice',
      message: '`retries` is set both in `queue` and next to it.',
      help: 'Keep the one in `queue`.',
    },
    QUE_MILLISECONDS: {
      severity: 'warning',
      title: 'Seconds',
      message: '"delay" is in seconds: {written} are {hours} hours.',
      help: 'One minute is 60, one hour 3600.',
    },
    QUE_NOTHING: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'No effect of `retries`',
      message: '`retries` applies to jobs only; this runs in the foreground.',
      help: 'Write `"queue": {"retries": 2}`, or `"run_in_background": true` next to it.',
    },
  },
  examples: [
    { title: 'In a minute', json: { queue: { delay: 60 } } },
    {
      title: 'A call with two retries, before other work',
      json: {
        mode: 'HTTPREQUEST',
        queue: { priority: 10, retries: 2 },
        http: { url: 'https://hooks.example.com/orders', method: 'POST', request_body: { order: 4711 } },
      },
    },
  ],
  counterExamples: [
    { title: 'A negative delay', json: { queue: { delay: -5 } }, code: 'DEF_RANGE', at: '/queue/delay' },
    { title: 'True instead of settings', json: { queue: true }, code: 'DEF_TYPE', at: '/queue' },
    {
      title: 'A delay in milliseconds',
      json: { queue: { delay: 60000 } },
      code: 'QUE_MILLISECONDS',
      at: '/queue/delay',
    },
    { title: 'Retries twice', json: { queue: { retries: 1 }, retries: 2 }, code: 'QUE_TWICE', at: '/retries' },
    { title: 'Retries without a job', json: { retries: 2 }, code: 'QUE_NOTHING', at: '/retries' },
  ],
});

function check(place: CheckPlace): Finding[] {
  const { queue, retries: beside } = place.value;
  if (isObject(queue)) {
    const twice = beside !== undefined && queue['retries'] !== undefined;
    const twiceAt = twice ? [{ code: 'QUE_TWICE', at: '/retries', ...createRemovalFix('/retries') }] : [];
    return [...twiceAt, ...inMilliseconds(queue['delay']), ...checkDeferred(place, 'queue')];
  }
  const isBackground = [place.holder, place.root].some(
    (one) => one['run_in_background'] === true || isObject(one['queue']),
  );
  return beside === undefined || isBackground
    ? []
    : [{ code: 'QUE_NOTHING', at: '/retries', ...createRemovalFix('/retries') }];
}

/** Multiples of 1000 that are no quarter hours, such as `60000`. */
function inMilliseconds(delay: unknown): Finding[] {
  if (typeof delay !== 'number' || delay < 5000 || delay % 1000 !== 0 || delay % 900 === 0) return [];
  const text = String(delay / 1000);
  const hours = Math.round(delay / 360) / 10;
  const fix = { title: `change to ${text}`, text };
  return [{ code: 'QUE_MILLISECONDS', at: '/queue/delay', params: { written: delay, hours }, fix }];
}
