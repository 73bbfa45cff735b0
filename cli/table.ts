/** The endpoints and the sample curl command at startup. */
import { isObject, type Json } from '../contract/json.js';
import type { PlanSet, ResourcePlan } from '../contract/resource-plan.js';
import { readCron } from '../language/strings/cron.js';
import { createTimetable } from '../language/strings/cron-next.js';
import { fillPath, hasParameters } from '../language/strings/route.js';
import type { StyleText } from '../language/source/code-frame.js';
import { alignColumns } from './columns.js';

/** The compiler's value for a resource without authentication. */
const OPEN = 'open';

const HEAD = ['methods', 'path', 'guard', 'validation', 'touches'];
/** Column shown only if a resource defers work. */
const ANSWER = 'response';

export function formatEndpointTable(plans: PlanSet, methods: readonly string[], paint: StyleText): string {
  const served = listReachablePlans(plans);
  if (served.length === 0) return 'No endpoints: the definitions contain no resource with a path.';
  const hasLater = served.some(({ accepts }) => accepts !== null);
  const head = hasLater ? [...HEAD, ANSWER] : HEAD;
  const cells = served.map((plan) => [
    methods.join(', '),
    `/${plan.path}`,
    plan.summary.guard,
    plan.summary.validated.join(', ') || '-',
    plan.summary.touches.filter((name) => name !== 'nothing').join(', ') || '-',
    ...(hasLater ? [describeAnswer(plan)] : []),
  ]);
  return alignColumns(head, cells, paint);
}

function describeAnswer({ accepts }: ResourcePlan): string {
  if (accepts === null) return 'result';
  return accepts.whole ? '202, job' : 'result, then job';
}

/** Null without schedules. `now`: milliseconds since 1970; null omits the next run. */
export function formatScheduleTable(plans: PlanSet, now: number | null, paint: StyleText): string | null {
  const schedules = [...plans.byId.values()].flatMap((plan) => plan.schedules);
  if (schedules.length === 0) return null;
  const cells = schedules.map(({ key, expression, zone }) => [
    key,
    expression,
    zone ?? 'UTC',
    ...(now === null ? [] : [formatNextRun(expression, zone ?? 'UTC', now)]),
  ]);
  return alignColumns(['scheduled', 'interval', 'zone', ...(now === null ? [] : ['next run'])], cells, paint);
}

function formatNextRun(expression: string, zone: string, now: number): string {
  const { cron } = readCron(expression);
  const next = cron === null ? null : createTimetable(cron, zone).next(now);
  return next === null ? '-' : new Date(next).toISOString().replace('.000Z', 'Z');
}

/** A valid request without a token, with the first method that has a body. */
export function formatCurl(plans: PlanSet, url: string, methods: readonly string[]): string | null {
  const served = listReachablePlans(plans);
  // Prefers paths without parameters, because parameters usually refer to existing rows.
  const open = served.filter(({ summary }) => summary.guard === OPEN);
  const plain = open.filter(({ path }) => !hasParameters(path));
  const ruled = [...plain, ...open].filter(({ summary }) => summary.validated.length > 0);
  const plan = ruled.find(({ summary }) => !summary.presumes) ?? ruled[0] ?? plain[0] ?? open[0];
  if (plan === undefined) return null;
  const { sample, path } = fillSamplePath(plan);
  const address = `${url}/${path}`;
  const method = methods.find((name) => name !== 'GET' && name !== 'DELETE');
  if (method === undefined)
    return `curl -s -X ${methods[0] ?? 'GET'} ${quoteShell(`${address}${formatQuery(sample)}`)}`;
  const body = quoteShell(JSON.stringify(sample));
  return `curl -s -X ${method} ${address} -H 'content-type: application/json' -d ${body}`;
}

/** From the sample; the remaining members are the payload. */
function fillSamplePath({ path, summary }: ResourcePlan): { readonly path: string; readonly sample: Json } {
  const rest: Record<string, Json> = { ...(isObject(summary.sample) ? summary.sample : {}) };
  const filled = fillPath(path, (name) => {
    const { [name]: value = 'text' } = rest;
    delete rest[name];
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  });
  return { path: filled, sample: rest };
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function formatQuery(sample: Json): string {
  const fields = Object.entries(isObject(sample) ? sample : {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields).toString()}`;
}

const listReachablePlans = (plans: PlanSet): ResourcePlan[] =>
  [...plans.byId.values()].filter((plan) => plan.reachable).sort((a, b) => (a.path < b.path ? -1 : 1));
