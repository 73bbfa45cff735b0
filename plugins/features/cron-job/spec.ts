/** An actionable that runs on a schedule, never for a request. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { zoneErrors } from '../../schedulers/shared/fields.light.js';
import { checkSchedule } from './check.light.js';

const FORM = '{"execution_interval": "0 0 3 * * *"}';
const JOB = 'a schedule is written `"cron_job": {"execution_interval": "0 0 3 * * *"}` on an actionable';
const HERE = { say: JOB, rename: 'cron_job' };
const NO_QUARTERS = 'a schedule begins with the service and ends when its field is removed';
const INTERVAL = { say: 'the schedule is `"execution_interval"`, six fields', rename: 'execution_interval' };
const ZONE = { say: 'the zone of a schedule is `"time_zone"`', rename: 'time_zone' };

export default definePlugin({
  kind: 'feature',
  name: 'cron_job',
  since: '0.4.0',
  summary: 'Runs an actionable on a schedule. Requests do not run it.',
  details: [
    'Six fields: second, minute, hour, day of the month, month, day of the week. Each is a number, `*`, a list',
    '(`1,15`), a range (`9-17`) or a step (`*/5`, `10-40/10`); months and days of the week have names too (`JAN`,',
    '`MON`), and Sunday is 0 or 7. `?` is `*` in the fields of days. If both fields of days are set, either one is',
    'enough.',
    '',
    'Of all processes that share the `scheduler` of the config, one runs each scheduled time, once: a failed run is',
    'not retried; the next one runs at its time. A run is skipped and counted if the previous one is still running.',
    'After a downtime the latest missed run is started, unless it is older than `catch_up` of the config, a day.',
    '',
    'The time zone is `time_zone` here, that of the config, or UTC. When clocks are set back, a schedule with fixed',
    'hours runs in the first of the two hours, and one with `*` or a step in the hour runs in both. When clocks are',
    'set forward, a run at a skipped time starts at the change.',
    '',
    'A scheduled run has no payload, no header and no token: reading them is an error here. Dependencies run first,',
    'as in a request. `$DATETIME` is the scheduled time. With `queue` or `run_in_background` next to it, a run only',
    'accepts the job.',
  ].join('\n'),
  facts: { applies: 'when-present' },
  requires: ['scheduler:*', 'trigger:scheduled_work'],
  slots: {
    resource: shape(
      {},
      { mistaken: { cron: JOB, schedule: JOB, scheduled: JOB, cron_expression: JOB, interval: JOB } },
    ),
    actionable: shape(
      {
        cron_job: shape({
          execution_interval: text({
            doc: 'When it runs: second, minute, hour, day of the month, month, day of the week.',
            examples: ['0 0 3 * * *', '0 */5 * * * *', '0 0 9 ? * MON-FRI'],
            form: '"0 */5 * * * *"',
            language: 'cron',
          }).required(),
          time_zone: text({
            doc: 'Time zone of the schedule, by its IANA name. Default: the one of the config.',
            examples: ['Europe/Berlin'],
            language: 'zone',
          }).min(1),
        }).meta({
          doc: 'Runs the actionable on a schedule.',
          form: FORM,
          mistaken: {
            cron: INTERVAL,
            expression: INTERVAL,
            cron_expression: INTERVAL,
            schedule: INTERVAL,
            interval: INTERVAL,
            pattern: INTERVAL,
            timezone: ZONE,
            timeZone: ZONE,
            tz: ZONE,
            zone: ZONE,
            every: INTERVAL,
            time: INTERVAL,
            at: INTERVAL,
            enabled: NO_QUARTERS,
            start: NO_QUARTERS,
            run_on_start: NO_QUARTERS,
            run_on_init: NO_QUARTERS,
          },
          short: { string: 'execution_interval' },
        }),
      },
      {
        mistaken: {
          cron: HERE,
          cron_expression: HERE,
          schedule: HERE,
          scheduled: HERE,
          interval: HERE,
          every: HERE,
        },
      },
    ),
  },
  timing: () => 'scheduled',
  check: checkSchedule,
  openapi: () => ({}),
  errors: {
    ...zoneErrors,
    CRN_SIX: {
      severity: 'error',
      title: 'Six fields',
      message: 'The schedule {what}.{hint}',
      help: 'Second, minute, hour, day of the month, month, day of the week: `0 */5 * * * *` is every five minutes.',
    },
    CRN_FIELD: {
      severity: 'error',
      title: 'Field of a schedule',
      message: 'The {field} {what}.{hint}',
      help: 'Second 0-59, minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or JAN-DEC, day of the week 0-7 or SUN-SAT.',
    },
    CRN_NO_OP: {
      severity: 'error',
      title: 'Schedule on `no_op`',
      message: 'An actionable with "no_op" runs only when another one depends on it; this one has a schedule.',
      help: 'Remove `no_op`: requests never run an actionable with a schedule.',
    },
    CRN_RULES: {
      severity: 'error',
      title: 'Rules without a payload',
      message: 'Scheduled runs have no payload, so these rules have no effect.',
      help: 'Remove the rules, or move the work for requests into a separate actionable.',
    },
  },
  examples: [
    {
      title: 'Every night at three',
      json: { mode: 'RETURN', value: {}, cron_job: { execution_interval: '0 0 3 * * *' } },
    },
    {
      title: 'At nine on working days, in Berlin',
      json: {
        mode: 'QUERY',
        sql_query: { query: 'SELECT 1 AS one', parameters: [] },
        cron_job: { execution_interval: '0 0 9 ? * MON-FRI', time_zone: 'Europe/Berlin' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'Five fields, as in a crontab',
      json: { cron_job: { execution_interval: '*/5 * * * *' } },
      code: 'CRN_SIX',
      at: '/cron_job/execution_interval',
    },
    {
      title: 'No such hour',
      json: { cron_job: { execution_interval: '0 0 24 * * *' } },
      code: 'CRN_FIELD',
      at: '/cron_job/execution_interval',
    },
    {
      title: 'No such day',
      json: { cron_job: { execution_interval: '0 0 0 31 FEB *' } },
      code: 'CRN_FIELD',
      at: '/cron_job/execution_interval',
    },
    {
      title: 'No such zone',
      json: { cron_job: { execution_interval: '0 0 3 * * *', time_zone: 'Europe/Berlinn' } },
      code: 'CRN_ZONE',
      at: '/cron_job/time_zone',
    },
    { title: 'Text instead of an object', json: { cron_job: '0 0 3 * * *' }, code: 'DEF_TYPE', at: '/cron_job' },
    { title: 'No schedule', json: { cron_job: {} }, code: 'DEF_REQUIRED', at: '/cron_job' },
  ],
});
