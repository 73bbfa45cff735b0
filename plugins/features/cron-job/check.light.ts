/** Validates a written schedule and suggests corrections. */
import { asText, isObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { readCron, type CronFlaw } from '../../../language/strings/cron.js';
import { checkZone } from '../../schedulers/shared/fields.light.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

const INTERVAL = '/cron_job/execution_interval';

export function checkSchedule({ value, holder, nearest }: CheckPlace): Finding[] {
  const written = isObject(value['cron_job']) ? value['cron_job'] : {};
  const expression = asText(written['execution_interval']);
  const { flaws = [] } = readCron(expression);
  return [
    ...flaws.map((flaw) => createFinding(expression, flaw)),
    ...checkZone(written['time_zone'], '/cron_job/time_zone', nearest),
    ...(holder['no_op'] === true ? [{ ...createKeyFinding('CRN_NO_OP', 'no_op'), ...createRemovalFix('/no_op') }] : []),
    ...(holder['payload_validation'] === undefined ? [] : [createKeyFinding('CRN_RULES', 'payload_validation')]),
  ];
}

const createKeyFinding = (code: string, field: string): Finding => ({ code, at: `/${field}`, key: true });

function createFinding(text: string, { start, end, field, what, right }: CronFlaw): Finding {
  const whole = right === undefined ? undefined : text.slice(0, start) + right + text.slice(end);
  return {
    code: field === null ? 'CRN_SIX' : 'CRN_FIELD',
    at: INTERVAL,
    span: [start, end],
    params: { what, field: field ?? '', hint: whole === undefined ? '' : ` Write "${whole}".` },
    ...(right !== undefined && { fix: { title: `change to "${right}"`, text: right } }),
  };
}
